import { expect, test, vi } from 'vitest';
import { ofTest } from '../../fixtures/opened.ts';
import {
  AuthError,
  ChannelClient,
  ConflictError,
  DateRangeError,
  MetricNotAvailableError,
  ApiError,
  NotFoundError,
  RateLimitError,
  ReportingClient,
  ReportingUnavailableError,
  RowLimitError,
  UnreachableError,
  ValidationError,
} from '../../../src/operator.ts';
import { openScriptedServer, type Scripted } from './scriptedServer.ts';

const KEY = 'adnet_sk_test_canary0123456789';

const server = ofTest(openScriptedServer);

async function failureOf(...responses: Scripted[]): Promise<ApiError> {
  server.responses = responses;
  const client = new ChannelClient({ networkUrl: server.url, apiKey: KEY, maxRetries: 0 });
  const error: unknown = await client.categories().catch((reason: unknown) => reason);
  if (!(error instanceof ApiError)) throw new Error(`expected a ApiError, got ${String(error)}`);
  expect(JSON.stringify(everythingIn(error))).not.toContain(KEY);
  return error;
}

function everythingIn(error: Error): unknown {
  return {
    ...error,
    message: error.message,
    stack: error.stack,
    cause: error.cause instanceof Error ? everythingIn(error.cause) : error.cause,
  };
}

test.each<[status: number, kind: typeof ApiError]>([
  [400, ValidationError],
  [422, ValidationError],
  [401, AuthError],
  [403, AuthError],
  [404, NotFoundError],
  [409, ConflictError],
  [429, RateLimitError],
  [300, ApiError],
  [405, ApiError],
  [500, ApiError],
])('status %i has its error class', async (status, kind) => {
  const error = await failureOf({ status, body: { error: 'because' } });
  expect(error).toBeInstanceOf(kind);
  expect(error.constructor).toBe(kind);
  expect(error.name).toBe(kind.name);
  expect(error).toMatchObject({ status, requestId: 'req-1', code: undefined });
  expect(error.message).toBe(`GET /adnet/adconfig/categories/ returned ${status}: because`);
});

test('a validation error says what to correct, field by field', async () => {
  const error = await failureOf({
    status: 400,
    body: { items: ['items[3].domain: is required'], page_size: ['at most 200'] },
  });
  expect(error).toMatchObject({
    fields: [
      { path: 'items', message: 'items[3].domain: is required' },
      { path: 'page_size', message: 'at most 200' },
    ],
  });
});

test.each([
  ['7', 7],
  ['0', 0],
  ['soon', undefined],
  ['', undefined],
  [new Date(Date.now() - 60_000).toUTCString(), 0],
])('Retry-After %j means %j seconds', async (header, seconds) => {
  const error = await failureOf({ status: 429, body: {}, headers: { 'retry-after': header } });
  expect((error as RateLimitError).retryAfter).toBe(seconds);
});

async function reportFailure(body: unknown, status = 400): Promise<unknown> {
  server.responses = [{ status, body }];
  const client = new ReportingClient({ networkUrl: server.url, apiKey: KEY, variant: 'channel', maxRetries: 0 });
  return client.report().catch((reason: unknown) => reason);
}

test('the error for a disabled metric lists the allowed ones', async () => {
  const lists = { unsupported_metrics: ['rpl'], allowed_metrics: ['clicks', 'impressions'] };
  const error = await reportFailure({ code: 'METRIC_NOT_AVAILABLE', ...lists });
  expect(error).toBeInstanceOf(MetricNotAvailableError);
  expect(error).toMatchObject({ code: 'METRIC_NOT_AVAILABLE', status: 400, ...lists });
});

test('the error for dates outside the history has the available window, when the network sends it', async () => {
  const code = 'DATE_RANGE_OUTSIDE_AVAILABLE_WINDOW';
  const available_window = { from: '2025-08-01', to: '2025-11-20' };
  const error = await reportFailure({ code, message: 'too early', available_window });
  expect(error).toBeInstanceOf(DateRangeError);
  expect(error).toMatchObject({ available_window, message: expect.stringContaining('too early') as unknown });
  for (const half of [undefined, null, {}, { from: '2025-08-01' }, { from: 1, to: 2 }]) {
    expect(await reportFailure({ code, message: 'too early', available_window: half })).toMatchObject({
      available_window: undefined,
    });
  }
});

test.each(['REPORT_ROW_LIMIT_EXCEEDED', 'REPORTING_SOURCE_ROW_LIMIT_EXCEEDED'])(
  '%s has the number of rows',
  async (code) => {
    const error = await reportFailure({ code, message: 'too many', max_rows: 10_000, total_rows: 10_001 });
    expect(error).toBeInstanceOf(RowLimitError);
    expect(error).toMatchObject({ code, max_rows: 10_000, total_rows: 10_001 });
  },
);

test('the code decides the class, not the status', async () => {
  const body = { code: 'REPORTING_DATA_UNAVAILABLE', message: 'nothing yet' };
  for (const status of [400, 404, 409, 503])
    expect(await reportFailure(body, status)).toBeInstanceOf(ReportingUnavailableError);
});

test('an error with an unknown code has the class of its status, and keeps the code', async () => {
  const error = await reportFailure({ code: 'NEW_CODE', message: 'new' });
  expect(error).toBeInstanceOf(ValidationError);
  expect(error).toMatchObject({ code: 'NEW_CODE' });
});

test('a key that the network repeats in an error is removed', async () => {
  for (const repeated of [KEY, KEY.toUpperCase()]) {
    const error = await failureOf({ status: 401, body: { detail: `The key ${repeated} has expired` } });
    expect(error.message).toContain('The key [key] has expired');
  }
});

test('a closed connection is an UnreachableError with its cause', async () => {
  const error = await failureOf((response) => void response.destroy());
  expect(error).toBeInstanceOf(UnreachableError);
  expect(error.cause).toBeInstanceOf(Error);
  expect(error.code).toBe('no_response');
});

test('a redirect is not followed, so the key is sent nowhere else', async () => {
  const elsewhere = await openScriptedServer();
  try {
    const error = await failureOf({ status: 302, headers: { location: `${elsewhere.url}/steal` } });
    expect(error).toBeInstanceOf(UnreachableError);
    expect(error.code).toBe('redirect');
    expect(elsewhere.seen).toEqual([]);
  } finally {
    await elsewhere.close();
  }
});

test('a server that does not run is an UnreachableError', async () => {
  await server.close();
  const client = new ChannelClient({ networkUrl: server.url, apiKey: KEY, maxRetries: 0 });
  await expect(client.details()).rejects.toMatchObject({ name: 'UnreachableError', code: 'refused' });
});

test.each([
  ['a captive portal', '<html>'],
  ['nothing', undefined],
  ['another JSON', { category: [] }],
  ['a list', []],
])('%s with 200 is an error', async (_, body) => {
  const error = await failureOf({ status: 200, body });
  expect(error.constructor).toBe(ApiError);
  expect(error.message).toBe('GET /adnet/adconfig/categories/ returned 200, but not a list of categories.');
});

test('the entry throws when a browser loads it', async () => {
  vi.resetModules();
  vi.stubGlobal('window', {});
  vi.stubGlobal('document', {});
  try {
    await expect(import('../../../src/operator.ts')).rejects.toThrow(
      'offerlet-operator holds a secret key and must not run in a browser',
    );
    expect(() => new ChannelClient({ networkUrl: 'https://x.example', apiKey: KEY })).toThrow(
      'offerlet-operator holds a secret key and must not run in a browser',
    );
  } finally {
    vi.unstubAllGlobals();
    vi.resetModules();
  }
});
