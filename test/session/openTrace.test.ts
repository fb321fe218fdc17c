import { expect, test } from 'vitest';
import { openTrace, outcome } from '../../src/session/openTrace.ts';

test('the counts are those of the mount: what others have delivered or the queue has dropped no longer waits', () => {
  const trace = openTrace();
  for (const event_id of ['a', 'b', 'c', 'd'])
    trace.emit({
      type: 'tracked',
      event: { event_id, event_name: 'WIDGET_LOAD', session_id: 's', event_datetime: '' },
    });
  // This queue sends what other mounts have tracked as well.
  trace.emit({ type: 'delivered', count: 3, eventIds: ['a', 'x', 'y'] });
  const counts = (...stored: string[]) => trace.explain(undefined, stored).queue;
  expect(counts('b', 'c', 'd')).toEqual({ waiting: 3, delivered: 1, dropped: 0, dead: 0 });
  // Another tab has delivered "b".
  expect(counts('c', 'd')).toEqual({ waiting: 2, delivered: 2, dropped: 0, dead: 0 });
  trace.emit({ type: 'dropped', count: 1, reason: 'full' });
  expect(counts('c')).toEqual({ waiting: 1, delivered: 2, dropped: 1, dead: 0 });
});

test('what a listener causes comes after what it hears, for every listener, and the first outcome stays the first', async () => {
  const trace = openTrace();
  const heard: string[] = [];
  trace.subscribe((event) => {
    if (event.type === 'outcome' && event.code === 'rendered') trace.conclude(outcome('consent_denied', ''));
  });
  trace.subscribe((event) => event.type === 'outcome' && heard.push(event.code));
  trace.conclude(outcome('rendered', ''));
  expect(heard).toEqual(['rendered', 'consent_denied']);
  expect((await trace.first).code).toBe('rendered');
});

test('a listener that causes another event by every event comes to an end', () => {
  const trace = openTrace();
  let heard = 0;
  trace.subscribe(() => ++heard < 9_000 && trace.emit({ type: 'error', reason: 'caused' }));
  for (const reason of ['first', 'second']) trace.emit({ type: 'error', reason });
  expect(heard).toBe(1_000);
});
