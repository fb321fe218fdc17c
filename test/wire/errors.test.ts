import { expect, test } from 'vitest';
import { partnerError, readError } from '../../src/wire/errors.ts';

test('the Recommendations API: a message and its errors', () => {
  const body = partnerError('The request is not valid', [
    { path: 'user_details', message: 'is required' },
    { path: '', message: 'no' },
  ]);
  expect(body).toEqual({
    message: 'The request is not valid',
    errors: [{ message: 'is required', path: 'user_details' }, { message: 'no' }],
  });
  expect(readError(400, body)).toEqual({
    status: 400,
    message: 'The request is not valid',
    fields: [
      { path: 'user_details', message: 'is required' },
      { path: '', message: 'no' },
    ],
  });
  expect(partnerError('Not found')).toEqual({ message: 'Not found' });
});

test('the Channel API: messages by field', () => {
  expect(readError(400, { subcategory_ids: ['a', 'b'], items: ['items[3].domain: missing'] })).toEqual({
    status: 400,
    message: 'subcategory_ids: a; subcategory_ids: b; items: items[3].domain: missing',
    fields: [
      { path: 'subcategory_ids', message: 'a' },
      { path: 'subcategory_ids', message: 'b' },
      { path: 'items', message: 'items[3].domain: missing' },
    ],
  });
});

test('the Channel API: detail for keys, error for missing things', () => {
  expect(readError(401, { detail: 'Invalid key' })).toMatchObject({ status: 401, message: 'Invalid key', fields: [] });
  expect(readError(404, { error: 'Publisher not found' })).toMatchObject({
    status: 404,
    message: 'Publisher not found',
    fields: [],
  });
});

test('the Reporting API: the code, and the rest of the body as details', () => {
  const body = { code: 'METRIC_NOT_AVAILABLE', unsupported_metrics: ['rpl'], allowed_metrics: ['clicks'] };
  expect(readError(400, body)).toEqual({
    status: 400,
    message: 'METRIC_NOT_AVAILABLE',
    code: 'METRIC_NOT_AVAILABLE',
    fields: [],
    details: body,
  });
});

test.each([
  undefined,
  null,
  '',
  '<html>',
  0,
  [],
  {},
  { message: 5 },
  { detail: {} },
  { errors: 'x' },
  { errors: [5, null] },
  { a: 'b' },
])('a body without a message falls back to the status: %j', (body) => {
  expect(readError(503, body)).toEqual({ status: 503, message: 'The server returned status 503', fields: [] });
});

test('a hostile body fills neither the log nor the terminal', () => {
  const fields = Object.fromEntries(
    Array.from({ length: 5_000 }, (_, index) => [`f${index}`, ['x'.repeat(10_000), '\u001b[2J']]),
  );
  const error = readError(400, fields);
  expect(error.fields).toHaveLength(50);
  expect(error.message.length).toBeLessThan(1_000);
  expect(JSON.stringify(error)).not.toContain('\\u001b');
});

test('names of inherited properties are ordinary field names', () => {
  const body: unknown = JSON.parse('{"__proto__":["a"],"constructor":["b"],"toString":["c"]}');
  expect(readError(400, body).fields).toEqual([
    { path: '__proto__', message: 'a' },
    { path: 'constructor', message: 'b' },
    { path: 'toString', message: 'c' },
  ]);
});
