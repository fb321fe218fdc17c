import { expect, test } from 'vitest';
import {
  FORCE_OPTIONS,
  readForcedUrl,
  readValue,
  withoutForcing,
  describeForced,
  forcedQuery,
} from '../../src/inspector/forcing.ts';

test('a URL forces what its parameters name, in any case, and lists the unknown ones', () => {
  expect(readForcedUrl('?offerlet=inspect&offerlet-mode=pullup&offerlet-offers=1&offerlet-colour=red&x=1')).toEqual({
    forced: { mode: 'PULLUP', offers: '1' },
    unknown: ['offerlet-colour=red'],
  });
  expect(readForcedUrl('?offerlet=inspect')).toBeUndefined();
  expect(readForcedUrl('?offerlet-scenario=nonsense')).toEqual({ forced: {}, unknown: ['offerlet-scenario=nonsense'] });
});

test('withoutForcing() removes only the parameters that force something', () => {
  expect(withoutForcing('https://shop.example/o?offerlet=inspect&offerlet-mode=INLINE&a=1#x')).toBe(
    'https://shop.example/o?offerlet=inspect&a=1#x',
  );
});

test('an option accepts listed values and its pattern only', () => {
  const locale = FORCE_OPTIONS.find(({ name }) => name === 'locale');
  const fail = FORCE_OPTIONS.find(({ name }) => name === 'fail');
  expect(locale && [readValue(locale, 'pt-BR'), readValue(locale, '<b>')]).toEqual(['pt-BR', undefined]);
  expect(fail && [readValue(fail, '1,3'), readValue(fail, 'second')]).toEqual(['1,3', undefined]);
});

test('what is forced can be written as a query and as one line', () => {
  const forced = { scenario: 'no-offers', fail: '1,3' };
  expect(readForcedUrl(forcedQuery(forced))).toEqual({ forced, unknown: [] });
  expect(describeForced(forced)).toBe('scenario=no-offers, fail=1,3');
});
