import { expect, test, vi } from 'vitest';
import type { SessionOptions } from '../../src/session/options.ts';
import { device, open, startRelay } from './sessionWorld.ts';

test('a consent source is called once, decides as often as it likes, and ends with the session', async () => {
  const [relay, storage] = [startRelay(1), device()];
  const calls: string[] = [];
  let decide: (isGiven: boolean) => void = () => {};
  const source = Object.assign(
    (given: (isGiven: boolean) => void) => {
      calls.push('source');
      decide = given;
      return () => void calls.push('stop');
    },
    { source: 'banner' },
  );
  const session = open(relay, { storage, consent: source, order: '1' });
  expect(calls).toEqual([]);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect([relay.asked.length, storage.values.size]).toEqual([0, 0]);
  expect(session.explain().consent).toBeUndefined();
  const first = session.result;
  decide(true);
  decide(true);
  expect(await first).toMatchObject({ code: 'offers' });
  expect(relay.asked).toHaveLength(1);
  expect(session.explain().consent).toEqual({ isGiven: true, by: 'banner', at: expect.stringMatching(/^2.*Z$/) });
  decide(false);
  expect(session.explain()).toMatchObject({ consent: { isGiven: false, by: 'banner' } });
  await vi.waitFor(() => expect(storage.values.size).toBe(0));
  session.consent(true);
  expect(await session.result).toMatchObject({ code: 'offers' });
  expect(session.explain().consent).toMatchObject({ isGiven: true, by: 'consent()' });
  session.close();
  decide(false);
  expect(calls).toEqual(['source', 'stop']);
  expect(session.explain().consent?.isGiven).toBe(true);
});

test('a source that decides at once, says something else than true, or throws', async () => {
  const relay = startRelay(1);
  const end = async (consent: SessionOptions['consent']) => {
    const session = open(relay, { consent });
    const { code } = await session.result;
    session.close();
    return [code, session.explain().consent?.by];
  };
  expect(await end((decide) => decide(true))).toEqual(['offers', 'function']);
  expect(await end((decide) => decide('yes' as unknown as boolean))).toEqual(['consent_denied', 'function']);
  expect(
    await end(() => {
      throw Error('mine');
    }),
  ).toEqual(['consent_denied', 'function']);
  expect(
    await end((decide) => {
      decide(true);
      return () => {
        throw Error('mine');
      };
    }),
  ).toEqual(['offers', 'function']);
  expect(await end(undefined)).toEqual(['offers', 'default']);
  expect(await end(Promise.resolve(true))).toEqual(['offers', 'option']);
});
