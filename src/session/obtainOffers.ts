import type { PageQueue } from '../queue/openPageQueue.ts';
import type { RelayAccess } from '../queue/sending/createPost.ts';
import type { JsonObject } from '../wire/json.ts';
import type { PlacedGroup, SafeResponse } from '../wire/offers/response.ts';
import type { Backing } from './browserBacking.ts';
import type { Placement } from './checkOptions.ts';
import { createReporter, isBot, type Reporter } from './createReporter.ts';
import { findOffers } from './findOffers.ts';
import type { Trace } from './openTrace.ts';
import type { OfferOptions } from './options.ts';
import { openOrderMemory, orderKeyOf } from './orderMemory.ts';
import { outcome, type Failure } from './outcome.ts';
import { buildRequest } from './requestOffers.ts';
import { throwIfAborted } from './throwIfAborted.ts';
import { reasonOf } from '../wire/reasonOf.ts';

/** A request body, and the response before it was validated. */
export interface RawExchange {
  readonly body: JsonObject;
  readonly json: unknown;
}

/** A session that may request offers. */
export interface Obtaining {
  readonly options: Pick<OfferOptions, 'request' | 'sandbox' | 'maxOffers'> & RelayAccess;
  readonly placement: Placement;
  readonly trace: Pick<Trace<never>, 'asked' | 'answered' | 'emit'>;
  readonly backing: Backing;
  readonly signal: AbortSignal;
  /** Returns the session's queue, while it has one. */
  queue(): PageQueue | undefined;
  /** Called with a sandbox response, before anything is counted. */
  inspect(exchange: RawExchange): Promise<unknown>;
}

/** Offers that can be shown, and where to report what becomes of them. */
export interface ObtainedOffers {
  readonly response: SafeResponse;
  readonly groups: readonly PlacedGroup[];
  readonly count: number;
  readonly reporter: Reporter;
  /** Resolves once what was reported so far is in storage. */
  written(): Promise<unknown>;
  /** Resolves to an outcome if the shopper has closed these offers, here or in another tab. */
  dismissal(): Promise<Failure | undefined>;
}

/** Resolves to the offers of a session, remembered or requested and reported as loaded, or to why there are none. */
export async function obtainOffers(obtaining: Obtaining): Promise<ObtainedOffers | Failure> {
  const { options, placement, trace, backing, signal, queue, inspect } = obtaining;
  const { relay, view, mode } = placement;
  const body = await buildRequest(options);
  const key = await orderKeyOf(relay, body, backing.hash);
  const memory = openOrderMemory({ key, notes: () => queue()?.notes, storage: backing.mirror });
  const dismissal = async (): Promise<Failure | undefined> =>
    mode !== 'INLINE' && (await memory.has('closed')) ? alreadyShown() : undefined;
  const dismissed = await dismissal();
  if (dismissed) return dismissed;
  trace.asked = {
    relay,
    view,
    display_mode: mode,
    user_details: Object.keys(body.user_details ?? {}),
    isSandbox: options.sandbox === true,
    isRemembering: key !== undefined,
  };

  throwIfAborted(signal);
  const found = await findOffers({ relay, body, access: options, memory, signal });
  throwIfAborted(signal);
  if ('code' in found) return found;
  const { response, json, isRemembered } = found;
  const { session_id, left_out, sandbox: isSandbox } = response;
  if (isSandbox) {
    await inspect({ body, json });
    throwIfAborted(signal);
  }
  const groups = firstOffers(response.groups, options.maxOffers);
  const count = groups.reduce((sum, { offers }) => sum + offers.length, 0);
  const isCounted = isSandbox || !isBot((globalThis.navigator as { userAgent?: string } | undefined)?.userAgent ?? '');
  trace.answered = { session_id, offers: count, isSandbox, isRemembered, isCounted };
  for (const { offer_id, reason } of left_out) trace.emit({ type: 'left_out', offer_id, reason });

  let written: Promise<unknown> = Promise.resolve();
  const reporter = createReporter({
    session_id,
    emit: trace.emit,
    // The page that requested a remembered response reports it.
    isLoaded: isRemembered,
    // Other sessions of this order count for themselves.
    once: (name) => memory.once(`${session_id} ${name}`),
    onDismissed: () => void (mode !== 'INLINE' && memory.once('closed')),
    track(event) {
      if (!isCounted) return;
      const tracked = queue()
        ?.track(event)
        .catch((error: unknown) => trace.emit({ type: 'error', reason: reasonOf(error) }));
      written = Promise.all([written, tracked]);
    },
  });
  // At once, not after the paint: a page that goes now, or waits for a dialog, has loaded them too.
  reporter.loaded();
  if (count > 0) return { response, groups, count, reporter, written: () => written, dismissal };
  const first = left_out[0];
  return outcome(
    'no_offers',
    'The relay returned no offers that can be shown',
    first && `${left_out.length} left out. Reason of the first: ${first.reason}.`,
  );
}

/** Returns the groups with at most `most` offers in all, without empty groups. */
export function firstOffers(groups: readonly PlacedGroup[], most = Infinity): PlacedGroup[] {
  let left = most;
  return groups
    .map((group) => {
      const offers = group.offers.slice(0, left);
      left -= offers.length;
      return { ...group, offers };
    })
    .filter((group) => group.offers.length > 0);
}

function alreadyShown(): Failure {
  return outcome(
    'already_shown',
    'The shopper has already closed the offers of this order',
    'Use another order_id to show them again.',
  );
}
