import { expect, it } from 'vitest';
import { readVerdict, type BatchVerdict } from '../../src/queue/settle.ts';

const ok = (index: unknown): object => ({ index, success: true });
const no = (index: number, retryable?: boolean): object => ({
  index,
  success: false,
  ...(retryable === undefined ? {} : { error: { code: 'c', message: 'm', retryable } }),
});
const names = ({ fates }: BatchVerdict): readonly string[] => fates.map(([fate]) => fate);

it('only 201 and 202 deliver a whole batch', () => {
  const delivered = Array.from({ length: 600 }, (_, status) => status).filter((status) =>
    names(readVerdict(status, undefined, 2)).includes('delivered'),
  );
  expect(delivered).toEqual([201, 202]);
});
it('a captive portal’s 200, a redirect and a missing response count as an outage', () => {
  for (const status of [0, 200, 204, 302, 304, 500, 502, 503, 504, 599, 408, 425, 429])
    expect([status, readVerdict(status, 'hello', 2).next]).toEqual([status, 'wait']);
});
it('a 4xx about the endpoint rather than the events pauses the queue', () => {
  for (const status of [401, 402, 403, 404, 405, 409, 410, 415, 418, 451, 499])
    expect([status, readVerdict(status, undefined, 2).next]).toEqual([status, 'pause']);
});
it('400, 413 and 422 split a batch, and make a single event a dead letter', () => {
  for (const status of [400, 413, 422]) {
    expect(readVerdict(status, undefined, 2)).toMatchObject({ next: 'split', fates: [['queued'], ['queued']] });
    expect(readVerdict(status, undefined, 1)).toMatchObject({ next: 'go', fates: [['dead']] });
  }
});
it('a 207 with results that cannot be used is waited for', () => {
  expect(readVerdict(207, { results: [ok(0)] }, 3).next).toBe('wait');
  expect(readVerdict(207, 'not json', 1)).toMatchObject({ next: 'wait', fates: [['queued']] });
});
it('a final refusal makes a dead letter with its reason', () => {
  const verdict = readVerdict(207, { results: [ok(0), no(1, false), no(2, true)] }, 3);
  expect(verdict).toEqual({ next: 'go', fates: [['delivered'], ['dead', 'c: m'], ['refused', 'c: m']] });
});
it('a 207 that accepts nothing counts as an outage, one that accepts something does not', () => {
  expect(readVerdict(207, { results: [no(0), no(1)] }, 2).next).toBe('wait');
  expect(readVerdict(207, { results: [no(0), ok(1)] }, 2).next).toBe('go');
});
it('a 502 with results keeps retryable events without counting a refusal, and makes the others dead letters', () => {
  expect(readVerdict(502, { results: [no(0, true), no(1, false), no(2)] }, 3)).toMatchObject({
    next: 'wait',
    fates: [['queued', 'c: m'], ['dead', 'c: m'], ['queued']],
  });
  expect(readVerdict(502, { results: [no(0, false)] }, 1)).toEqual({ next: 'go', fates: [['dead', 'c: m']] });
  expect(readVerdict(502, '<html>', 2)).toMatchObject({ next: 'wait', fates: [['queued'], ['queued']] });
});
