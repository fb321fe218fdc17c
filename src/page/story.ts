import { dom } from '../dom/dom.ts';
import type { Explanation } from './explanation.ts';
import type { Outcome } from './outcome.ts';
import type { PageEvent } from './pageEvent.ts';

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

  function emit(detail: PageEvent): void {
    events.push(detail);
    if (events.length > EVENTS_MAX) events.shift();
    try {
      if (typeof onEvent === 'function') onEvent(detail);
    } catch {
      // The listener's own affair: the widget goes on.
    }
    const place = story.place?.isConnected ? story.place : dom;
    // Missing on a server.
    (place as Partial<EventTarget>).dispatchEvent?.(
      new CustomEvent('offerlet', { bubbles: true, composed: true, detail }),
    );
  }

  function explain(): Explanation {
    const { asked, answered, outcome } = story;
    const waiting = new Set<string>();
    const queue = { delivered: 0, dropped: 0, dead: 0 };
    for (const event of events) {
      if (event.type === 'tracked') waiting.add(event.event.event_id);
      if (event.type === 'delivered') for (const id of event.event_ids) waiting.delete(id);
      if (event.type === 'delivered' || event.type === 'dropped') queue[event.type] += event.count;
      if (event.type === 'dead_letter' && waiting.delete(event.event.event_id)) queue.dead++;
    }
    return {
      outcome,
      asked,
      answered,
      left_out: events.filter((event) => event.type === 'left_out'),
      tracked: events.flatMap((event) => (event.type === 'tracked' ? [event.event.event_name] : [])),
      queue: { ...queue, waiting: waiting.size },
      events: [...events],
    };
  }

  const story: Story = { asked: undefined, answered: undefined, outcome: undefined, place: undefined, emit, explain };
  return story;
}
