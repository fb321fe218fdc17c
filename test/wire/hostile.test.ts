import * as fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { parseBatch, readBatchResponse, parseEvent } from '../../src/wire/events.ts';
import { readError } from '../../src/wire/errors.ts';
import { parseJson, plainText } from '../../src/wire/json.ts';
import { readRecommendations, safeUrl } from '../../src/wire/offers/readRecommendations.ts';
import { parseRecommendationRequest } from '../../src/wire/offers/parseRecommendationRequest.ts';
import { json } from './anyJson.ts';

const PROTOTYPES = [Object.prototype, Array.prototype, String.prototype, Function.prototype];
const before = PROTOTYPES.map((prototype) => Object.getOwnPropertyNames(prototype).join());

afterEach(() => {
  expect(PROTOTYPES.map((prototype) => Object.getOwnPropertyNames(prototype).join())).toEqual(before);
});

function readAll(json: unknown): void {
  readRecommendations(json, { allowLoopback: true });
  parseRecommendationRequest(json);
  parseEvent(json);
  parseBatch(json);
  readBatchResponse(json, 20);
  readError(400, json);
  safeUrl(json);
  plainText(json, 40);
}

describe('no parser throws', () => {
  test('on any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => readAll(value)),
      { numRuns: 1_000 },
    );
  });

  test('on any JSON made of known field names', () => {
    fc.assert(
      fc.property(json, (value) => readAll(parseJson(JSON.stringify(value)))),
      { numRuns: 3_000 },
    );
  });

  test('on a response with any JSON in place of each part', () => {
    const response = fc.record({
      session_id: fc.constant('s'),
      recommendations: fc.dictionary(fc.string(), json),
      recommendation_groups: json,
      footer: json,
    });
    fc.assert(
      fc.property(response, (value) => readRecommendations(value).ok),
      { numRuns: 1_000 },
    );
  });

  test('on 10,000 levels of nesting', () => {
    const deep = parseJson('{"recommendations":'.repeat(5_000) + '[]' + '}'.repeat(5_000));
    expect(deep).toBeDefined();
    readAll(deep);
    readAll({
      session_id: 's',
      recommendations: { a: deep },
      recommendation_groups: parseJson('['.repeat(5_000) + ']'.repeat(5_000)),
      footer: deep,
    });
    readAll({ user_details: deep, placement_details: deep, purchases: [deep], shipping: deep });
  });

  test('on arrays of 100,000 elements', () => {
    const list = Array.from({ length: 100_000 }, (_, index) => ({ index, success: true, offer_id: 'a', message: 'm' }));
    for (const name of [
      'recommendation_groups',
      'recommendations',
      'purchases',
      'events',
      'results',
      'errors',
      'items',
    ])
      readAll({ session_id: 's', [name]: list });
    readAll(list);
  });
});

describe('names of inherited properties are ordinary names', () => {
  const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '__defineGetter__', '0', '10', '2'];
  const offer =
    '{"advertiser":{"id":"a","name":"A"},"offer":{"heading":"H","target_url":"https://x.example","cta_details":{"accept_copy":"y","decline_copy":"n"}}}';

  test('as an offer_id', () => {
    const body = `{"session_id":"s","recommendations":{${NAMES.map((name) => `"${name}":${offer}`).join()}},
      "recommendation_groups":[{"items":[${NAMES.map((name, order) => `{"offer_id":"${name}","insertion_order":${order}}`).join()}]}]}`;
    const read = readRecommendations(parseJson(body));
    expect(read.ok && read.value.groups[0]?.offers.map((placed) => placed.offer_id)).toEqual(NAMES);
  });

  test('as an offer_id that was not sent', () => {
    const items = NAMES.map((offer_id) => ({ offer_id }));
    const read = readRecommendations({ session_id: 's', recommendations: {}, recommendation_groups: [{ items }] });
    expect(read.ok && read.value).toMatchObject({ groups: [], left_out: NAMES.map((offer_id) => ({ offer_id })) });
  });

  test('as the name of a group', () => {
    const body = `{"session_id":"s","recommendations":{"a":${offer}},"recommendation_groups":{"__proto__":[{"offer_id":"a"}]}}`;
    const read = readRecommendations(parseJson(body));
    expect(read.ok && read.value.groups[0]?.id).toBe('__proto__');
  });

  test('inside the parts of a request, where they are dropped or stay ordinary', () => {
    const body = parseJson(
      '{"user_details":{"__proto__":{"polluted":1},"email":"a@b.example","constructor":{"prototype":{"polluted":1}}},"placement_details":{"view":"THANK_YOU","display_mode":"INLINE","__proto__":{"polluted":1}}}',
    );
    const parsed = parseRecommendationRequest(body);
    expect(parsed.ok).toBe(true);
    if (!parsed.ok) return;
    expect(Object.getPrototypeOf(parsed.value.user_details)).toBe(Object.prototype);
    expect(parsed.value.user_details['polluted']).toBeUndefined();
    expect(parsed.value.placement_details['polluted']).toBeUndefined();
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test('inherited properties count as missing', () => {
    const event: unknown = Object.create({
      event_name: 'WIDGET_LOAD',
      event_datetime: '2026-11-21T09:00:00Z',
      session_id: 's',
    });
    expect(parseEvent(event).ok).toBe(false);
  });
});
