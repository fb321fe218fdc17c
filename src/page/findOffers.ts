import { own, type JsonObject } from '../wire/json.ts';
import { readRecommendations } from '../wire/offers/readRecommendations.ts';
import type { SafeResponse } from '../wire/offers/response.ts';
import { askRelay } from './askRelay.ts';
import type { Memory } from './memory.ts';
import { outcome, type Outcome } from './outcome.ts';
import { storable } from './storable.ts';

/** What is asked, of whom, under which key it is remembered, and what ends it early. */
export interface Search {
  readonly relay: string;
  readonly body: JsonObject;
  readonly key: string | undefined;
  readonly memory: Memory;
  readonly signal: AbortSignal;
}

/** An answer, and whether it is that of an earlier page. */
export interface Found {
  readonly answer: SafeResponse;
  /** The same as it came. */
  readonly json: unknown;
  readonly isRemembered: boolean;
}

/** The offers of this order: remembered, or asked for. Tabs that open together ask once: the second waits for the first. */
export async function findOffers(search: Search): Promise<Found | Outcome> {
  const { key, signal } = search;
  // Only pages on https have locks.
  const locks = navigator.locks as LockManager | undefined;
  const go = (): Promise<Found | Outcome> => recallOrAsk(search);
  if (!key || !locks) return go();
  return (
    locks
      .request(key, { signal }, go)
      // A frame whose storage is blocked is refused locks as well: nobody shares anything with it.
      .catch(() => {
        signal.throwIfAborted();
        return go();
      })
  );
}

async function recallOrAsk({ relay, body, memory, signal }: Search): Promise<Found | Outcome> {
  const kept = await memory.recall();
  const remembered = read(kept);
  if (remembered.ok) return { answer: remembered.value, json: kept, isRemembered: true };
  const reply = await askRelay({ relay, body, signal });
  if ('code' in reply) return reply;
  const fresh = read(reply.json);
  if (!fresh.ok) {
    const { path, message } = fresh.problems[0] ?? {};
    return outcome(
      'network_error',
      `The answer cannot be read: ${path} ${message}`,
      'see whether a relay is mounted there',
    );
  }
  signal.throwIfAborted();
  if (fresh.value.groups.length > 0) await memory.keep(storable(fresh.value));
  return { answer: fresh.value, json: reply.json, isRemembered: false };
}

function read(json: unknown): ReturnType<typeof readRecommendations> {
  return readRecommendations(json, { allowLoopback: own(json, 'sandbox') === true });
}
