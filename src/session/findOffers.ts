import { own } from '../wire/json.ts';
import { readRecommendations } from '../wire/offers/readRecommendations.ts';
import type { SafeResponse } from '../wire/offers/response.ts';
import type { OrderMemory } from './orderMemory.ts';
import { outcome, type Failure } from './outcome.ts';
import { requestOffers, type OffersRequest } from './requestOffers.ts';
import { toStorable } from './toStorable.ts';
import { throwIfAborted } from './throwIfAborted.ts';

/** A request, and the memory of the order that it is for. */
export interface OffersSearch extends OffersRequest {
  readonly memory: OrderMemory;
}

/** A valid response. */
export interface FoundOffers {
  readonly response: SafeResponse;
  /** The same before it was validated. */
  readonly json: unknown;
  /** It was requested by an earlier page. */
  readonly isRemembered: boolean;
}

/** Resolves to the offers of an order, remembered or requested. Of tabs that open together, only one sends a request. */
export async function findOffers(search: OffersSearch): Promise<FoundOffers | Failure> {
  const { memory, signal } = search;
  const find = (): Promise<FoundOffers | Failure> => recallOrRequest(search);
  // Only https pages have locks.
  const locks = globalThis.navigator?.locks as LockManager | undefined;
  if (!memory.key || !locks) return find();
  return locks.request(memory.key, { signal }, find).catch(() => {
    throwIfAborted(signal);
    // Frames whose storage is blocked are refused locks, too. They share it with nobody.
    return find();
  });
}

async function recallOrRequest({ memory, ...request }: OffersSearch): Promise<FoundOffers | Failure> {
  const stored = await memory.recall();
  const remembered = read(stored);
  if (remembered.ok) return { response: remembered.value, json: stored, isRemembered: true };
  const reply = await requestOffers(request);
  if ('code' in reply) return reply;
  const fresh = read(reply.json);
  if (!fresh.ok) {
    const { path, message } = fresh.problems[0] ?? {};
    return outcome(
      'network_error',
      `The response of ${request.relay} could not be understood: ${path} ${message}`,
      'Check that an offerlet relay is mounted there.',
    );
  }
  throwIfAborted(request.signal);
  if (fresh.value.groups.length > 0) await memory.keep(toStorable(fresh.value));
  return { response: fresh.value, json: reply.json, isRemembered: false };
}

function read(json: unknown): ReturnType<typeof readRecommendations> {
  return readRecommendations(json, { allowLoopback: own(json, 'sandbox') === true });
}
