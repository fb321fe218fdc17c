import { own, type JsonObject } from '../wire/json.ts';
import { readRecommendations } from '../wire/offers/readRecommendations.ts';
import type { SafeResponse } from '../wire/offers/response.ts';
import { askRelay } from './askRelay.ts';
import type { Memory } from './memory.ts';
import { nextTask } from './nextTask.ts';
import { outcome, type Outcome } from './outcome.ts';

/** Milliseconds between the looks for the answer of another tab. */
const ARRIVAL_MS = 30;

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
      .request(key, { ifAvailable: true }, (lock) =>
        lock ? go() : locks.request(key, { signal }, () => arrival(search.memory).then(go)),
      )
      // A frame whose storage is blocked is refused locks as well: nobody shares anything with it.
      .catch(() => {
        signal.throwIfAborted();
        return go();
      })
  );
}

/** What another tab has kept is seen here some milliseconds after its lock is free: browsers write to each other's memory later. */
async function arrival({ recall }: Memory): Promise<void> {
  for (let looks = 10; looks-- && !recall();) await nextTask(ARRIVAL_MS);
}

async function recallOrAsk({ relay, body, memory, signal }: Search): Promise<Found | Outcome> {
  const kept = memory.recall();
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
  if (fresh.value.groups.length > 0) memory.keep(reply.json);
  return { answer: fresh.value, json: reply.json, isRemembered: false };
}

function read(json: unknown): ReturnType<typeof readRecommendations> {
  return readRecommendations(json, { allowLoopback: own(json, 'sandbox') === true });
}
