import type { EventName } from '../wire/events.ts';
import type { LeftOut } from '../wire/recommendations.ts';
import type { Explanation } from './explanation.ts';
import type { Outcome } from './outcome.ts';
import type { PageEvent } from './page-event.ts';

/** Events kept for `explain()`; a page that stays open for days must not grow. */
const EVENTS_MAX = 500;

/** Where a mount's steps are told: to `onEvent`, to the page as a DOM event, and to `explain()`. */
export interface Story {
  asked: Explanation['asked'];
  answered: Explanation['answered'];
  outcome: Outcome | undefined;
  /** Where the DOM event starts; the document while nothing stands on the page. */
  place: Element | undefined;
  emit(event: PageEvent): void;
  explain(): Explanation;
}

/** A `Story` at its beginning. What a listener throws stays with it. */
export function beginStory(onEvent: unknown): Story {
  const events: PageEvent[] = [];

  function emit(event: PageEvent): void {
    events.push(event);
    if (events.length > EVENTS_MAX) events.shift();
    try {
      if (typeof onEvent === 'function') onEvent(event);
    } catch {
      // The listener's own affair: the widget goes on.
    }
    const place = story.place?.isConnected ? story.place : document;
    place.dispatchEvent(new CustomEvent('offerlet', { bubbles: true, composed: true, detail: event }));
  }

  function explain(): Explanation {
    const { asked, answered, outcome } = story;
    const left_out: LeftOut[] = [];
    const tracked: EventName[] = [];
    const waiting = new Set<string>();
    const queue = { waiting: 0, delivered: 0, dropped: 0, dead: 0 };
    for (const event of events) {
      if (event.type === 'left_out') left_out.push({ offer_id: event.offer_id, reason: event.reason });
      if (event.type === 'tracked') tracked.push(event.event.event_name);
      if (event.type === 'tracked') waiting.add(event.event.event_id);
      if (event.type === 'delivered') for (const id of event.event_ids) waiting.delete(id);
      if (event.type === 'dead_letter') waiting.delete(event.event.event_id);
      if (event.type === 'delivered' || event.type === 'dropped') queue[event.type] += event.count;
      if (event.type === 'dead_letter') queue.dead++;
    }
    queue.waiting = waiting.size;
    return { outcome, asked, answered, left_out, tracked, queue, events: [...events] };
  }

  const story: Story = { asked: undefined, answered: undefined, outcome: undefined, place: undefined, emit, explain };
  return story;
}
