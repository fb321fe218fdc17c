import { expect, test } from 'vitest';
import type { ConsentEntry } from '../../src/session/consent.ts';
import { openTrace } from '../../src/session/openTrace.ts';

const DENIED: ConsentEntry = { isGiven: false, by: 'option', at: '', scope: 'origin' };

test('the counts are those of the mount: what others have delivered or a denial has deleted no longer waits', () => {
  const trace = openTrace();
  for (const event_id of ['a', 'b', 'c', 'd'])
    trace.emit({
      type: 'tracked',
      event: { event_id, event_name: 'WIDGET_LOAD', session_id: 's', event_datetime: '' },
    });
  // This queue sends what other mounts have tracked as well.
  trace.emit({ type: 'delivered', count: 3, eventIds: ['a', 'x', 'y'] });
  const counts = (...given: Parameters<typeof trace.explain>) => trace.explain(...given).queue;
  expect(counts(undefined)).toEqual({ waiting: 3, delivered: 1, dropped: 0, dead: 0 });
  // Another tab has delivered "b".
  expect(counts(undefined, new Set(['c', 'd']))).toEqual({ waiting: 2, delivered: 2, dropped: 0, dead: 0 });
  trace.emit({ type: 'dropped', count: 1, reason: 'full' });
  expect(counts(undefined, new Set(['c']))).toEqual({ waiting: 1, delivered: 2, dropped: 1, dead: 0 });
  expect(counts(DENIED)).toEqual({ waiting: 0, delivered: 1, dropped: 3, dead: 0 });
});
