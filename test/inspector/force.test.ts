import { expect, test } from 'vitest';
import { FORCES, forcingOf, readAddress, readWord, withoutForce } from '../../src/inspector/force.ts';

test('an address forces what it names, in any case, and says what it does not understand', () => {
  expect(readAddress('?offerlet=inspect&offerlet-mode=pullup&offerlet-offers=1&offerlet-colour=red&x=1')).toEqual({
    forced: { mode: 'PULLUP', offers: '1' },
    unknown: ['offerlet-colour=red'],
  });
  expect(readAddress('?offerlet=inspect')).toBeUndefined();
  expect(readAddress('?offerlet-scenario=nonsense')).toEqual({ forced: {}, unknown: ['offerlet-scenario=nonsense'] });
});

test('clearing takes from the address only what forces', () => {
  expect(withoutForce('https://shop.example/o?offerlet=inspect&offerlet-mode=INLINE&a=1#x')).toBe(
    'https://shop.example/o?offerlet=inspect&a=1#x',
  );
});

test('events are counted from one', () => {
  expect(forcingOf({ fail: '2,3' }).faults).toEqual([{ route: '/events/batch', fail_indexes: [1, 2], times: 1 }]);
});

test('single words take precedence over the scenario, and failures of both routes combine', () => {
  const { response, faults, page } = forcingOf({
    scenario: 'no-offers',
    offers: '2',
    ask: 'slow-offers',
    send: 'offline',
    theme: 'dark',
    consent: 'pending',
  });
  expect(response).toEqual({ offers: 2 });
  expect(faults?.map(({ route }) => route)).toEqual(['/recommendations', '/events/batch']);
  expect(page).toMatchObject({ theme: 'dark', consent: 'pending' });
});

test('forcing nothing changes nothing', () => {
  const { response, faults, page } = forcingOf({});
  expect([response, faults]).toEqual([undefined, []]);
  expect(Object.values(page ?? {}).filter(Boolean)).toEqual([]);
});

test('an unknown word is ignored', () => {
  const locale = FORCES.find(({ name }) => name === 'locale');
  const fail = FORCES.find(({ name }) => name === 'fail');
  expect(locale && [readWord(locale, 'pt-BR'), readWord(locale, '<b>')]).toEqual(['pt-BR', undefined]);
  expect(fail && [readWord(fail, '1,3'), readWord(fail, 'second')]).toEqual(['1,3', undefined]);
});
