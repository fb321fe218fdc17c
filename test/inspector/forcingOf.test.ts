import { expect, test } from 'vitest';
import { readForcing } from '../../src/inspector/forcing.ts';

test('events are counted from one', () => {
  expect(readForcing({ fail: '2,3' }).faults).toEqual([{ route: '/events/batch', fail_indexes: [1, 2], times: 1 }]);
});

test('single values take precedence over the scenario, and failures of both routes combine', () => {
  const { response, faults, page } = readForcing({
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
  const { response, faults, page } = readForcing({});
  expect([response, faults]).toEqual([undefined, []]);
  expect(Object.values(page ?? {}).filter(Boolean)).toEqual([]);
});
