import { readBatchResponse } from '../wire/events/batch.ts';
import { own } from '../wire/json.ts';
import type { KeptEvent, MountEvent } from './mount.ts';
import type { Exchange } from './tap.ts';

/** Where an event is in its life. */
export type Fate = 'waiting' | 'in flight' | 'delivered' | 'retried' | 'dead';

/** One step of an event's life. */
export interface Step {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly text: string;
}

/** An event from the moment it was tracked. */
export interface Life {
  readonly event: KeptEvent;
  readonly fate: Fate;
  readonly steps: readonly Step[];
}

/** The life of every event of a mount: what the queue told of it, and what the answers to its batches said. */
export function livesOf(events: readonly MountEvent[], exchanges: readonly Exchange[]): Life[] {
  const lives = new Map<string, { event: KeptEvent; fate: Fate; steps: Step[] }>();
  for (const told of events) {
    if (told.type === 'tracked' && !lives.has(told.event.event_id))
      lives.set(told.event.event_id, {
        event: told.event,
        fate: 'waiting',
        steps: [{ at: Date.parse(told.event.event_datetime), text: 'tracked' }],
      });
  }
  for (const exchange of exchanges) {
    for (const [index, id] of idsOf(exchange).entries()) {
      const life = lives.get(id);
      if (!life) continue;
      life.fate = exchange.ms === undefined ? 'in flight' : 'retried';
      life.steps.push({ at: exchange.at, text: life.steps.length > 1 ? 'sent again' : 'sent' });
      if (exchange.ms !== undefined)
        life.steps.push({ at: exchange.at + exchange.ms, text: verdictOn(exchange, index) });
    }
  }
  for (const told of events) {
    if (told.type === 'delivered') for (const id of told.event_ids) settle(lives.get(id), 'delivered', 'delivered');
    if (told.type === 'dead_letter') settle(lives.get(told.event.event_id), 'dead', `dead: ${told.reason}`);
  }
  return [...lives.values()];
}

/** The last word is the queue's own; a dead letter that was replayed may be delivered after all. */
function settle(life: { fate: Fate; steps: Step[] } | undefined, fate: Fate, text: string): void {
  if (!life) return;
  life.fate = fate;
  // Its answer has said so already, where it was seen.
  if (fate === 'delivered' && life.steps.at(-1)?.text.endsWith('accepted')) return;
  life.steps.push({ at: life.steps.at(-1)?.at ?? 0, text });
}

function idsOf({ path, sent }: Exchange): string[] {
  const events = path.endsWith('/events/batch') ? own(sent, 'events') : undefined;
  return Array.isArray(events) ? events.map((event) => String(own(event, 'event_id'))) : [];
}

function verdictOn({ status, answer, error }: Exchange, index: number): string {
  if (error !== undefined) return `no answer (${error}): kept`;
  const { accepted, refused } = readBatchResponse(answer, index + 1);
  const refusal = refused.get(index);
  if (status === 201 || status === 202 || ((status === 207 || status === 502) && accepted.has(index)))
    return `${status}: accepted`;
  if (!refusal) return `${status}: kept`;
  const why = [refusal.code, refusal.message].filter(Boolean).join(': ');
  return `${status}: refused ${refusal.retryable ? 'for now' : 'for good'}${why && ` (${why})`}`;
}
