import { parseBatch } from '../wire/batch.ts';
import { partnerError } from '../wire/errors.ts';
import type { WireEvent } from '../wire/events.ts';
import { RelayError } from './errors.ts';
import { forwardBatch, forwardOne, withoutIds, type Forwarded } from './forward.ts';
import { judgeEvent, type Judged } from './judgeEvent.ts';
import type { Ledger } from './ledger.ts';
import type { Measure } from './metrics.ts';
import { replyOf, type Outcome } from './outcome.ts';
import { errorReply, jsonReply, type Reply } from './reply.ts';
import type { CallNetwork } from './upstream.ts';

export interface DeliveryOptions {
  readonly single: CallNetwork;
  readonly batch: CallNetwork;
  readonly ledger: Ledger;
  readonly keepIds: boolean;
  readonly now: () => number;
  readonly measure: Measure;
}

/** Brings events to the network, each at most once at a time and never again once it was accepted. */
export interface Delivery {
  single(judged: Judged, requestId: string): Promise<Reply>;
  batch(judged: readonly Judged[], requestId: string): Promise<Reply>;
}

type Forward = (events: readonly WireEvent[]) => Promise<Forwarded>;

interface Round {
  readonly outcomes: readonly Outcome[];
  /** The call's own reply, when every event of the round was in it. */
  readonly asIs?: Reply | undefined;
  readonly isReflecting: boolean;
}

/** A `Delivery`: what is forwarded at this moment lives here, what was accepted in the ledger. */
export function createDelivery(options: DeliveryOptions): Delivery {
  const { ledger, keepIds, measure } = options;
  const underWay = new Map<string, Promise<Outcome>>();

  async function round(
    events: readonly WireEvent[],
    { forward, requestId }: { forward: Forward; requestId: string },
  ): Promise<Round> {
    const ids = events.map((event) => event.event_id?.toLowerCase());
    const mine: number[] = [];
    const pending: Promise<Outcome>[] = [];
    let settle: (settled: ReadonlyMap<number, Outcome>) => void = () => undefined;
    let abandon: (error: unknown) => void = () => undefined;
    const settled = new Promise<ReadonlyMap<number, Outcome>>((resolve, reject) => {
      settle = resolve;
      abandon = reject;
    });
    // Between the look into `underWay` and the entry into it nothing awaits, so two copies can never both be first.
    for (const [index, id] of ids.entries()) {
      const other = id === undefined ? undefined : underWay.get(id);
      const own = settled.then((all) => all.get(index) ?? FORGOTTEN);
      if (!other) mine.push(index);
      if (id !== undefined && !other) underWay.set(id, own);
      pending.push(other ?? own);
    }
    let asIs: Reply | undefined;
    let isReflecting = false;
    try {
      const done = await forwardNew(mine, { events, ids, forward, requestId });
      if (done.forwarded === events.length) asIs = done.asIs;
      isReflecting = done.isReflecting;
      settle(done.outcomes);
    } catch (error) {
      abandon(error);
    } finally {
      for (const index of mine) underWay.delete(ids[index] ?? '');
    }
    return { outcomes: await Promise.all(pending), asIs, isReflecting };
  }

  async function forwardNew(
    mine: readonly number[],
    {
      events,
      ids,
      forward,
      requestId,
    }: { events: readonly WireEvent[]; ids: readonly (string | undefined)[]; forward: Forward; requestId: string },
  ): Promise<{ outcomes: Map<number, Outcome>; forwarded: number; asIs?: Reply | undefined; isReflecting: boolean }> {
    const outcomes = new Map<number, Outcome>();
    const named = mine.filter((index) => ids[index] !== undefined);
    const claims = await ledger.claim(idsAt(named, ids), requestId);
    for (const [at, index] of named.entries()) {
      if (claims[at] === 'known') outcomes.set(index, { state: 'known' });
      if (claims[at] === 'busy') outcomes.set(index, BUSY);
    }
    const fresh = mine.filter((index) => !outcomes.has(index));
    const known = mine.length - fresh.length;
    if (known > 0) measure({ name: 'events_known', value: known });
    if (fresh.length === 0) return { outcomes, forwarded: 0, isReflecting: false };
    measure({ name: 'events_forwarded', value: fresh.length });
    const result = await forward(
      withoutIds(
        fresh.flatMap((index) => events[index] ?? []),
        keepIds,
      ),
    );
    for (const [at, index] of fresh.entries()) outcomes.set(index, result.outcomes[at] ?? FORGOTTEN);
    const lost = fresh.filter((_, at) => result.lost.includes(at));
    const accepted = fresh.filter((index) => outcomes.get(index)?.state === 'accepted');
    const refused = fresh.filter((index) => !lost.includes(index) && !accepted.includes(index));
    await ledger.accept(idsAt(accepted, ids), requestId);
    await ledger.release(idsAt(refused, ids), requestId);
    await ledger.lose(idsAt(lost, ids), requestId);
    return { outcomes, forwarded: fresh.length, asIs: result.asIs, isReflecting: result.isReflecting };
  }

  return {
    async single(judged, requestId) {
      if (!judged.ok) {
        measure({ name: 'events_refused', value: 1 });
        return { ...jsonReply(judged.status, partnerError(judged.error.message, judged.problems)), events: 1 };
      }
      const forward: Forward = async ([event]) =>
        forwardOne(options.single, { event: event ?? judged.event, requestId });
      const { outcomes, asIs, isReflecting } = await round([judged.event], { forward, requestId });
      if (isReflecting) return WITHHELD;
      const [outcome] = outcomes;
      if (outcome?.state === 'unanswered') return { ...outcome.reply, events: 1 };
      if (outcome?.state === 'refused') return { ...errorReply(busyError()), events: 1 };
      return { ...(asIs ?? { status: 201, body: '' }), events: 1 };
    },

    async batch(judged, requestId) {
      const fit = judged.flatMap((one) => (one.ok ? [one.event] : []));
      if (fit.length < judged.length) measure({ name: 'events_refused', value: judged.length - fit.length });
      const forward: Forward = (events) => forwardBatch(options.batch, { events, requestId });
      const { outcomes, asIs, isReflecting } = await round(fit, { forward, requestId });
      if (isReflecting) return WITHHELD;
      let next = 0;
      const inOrder = judged.map((one): Outcome =>
        one.ok ? (outcomes[next++] ?? FORGOTTEN) : { state: 'refused', error: one.error },
      );
      const reply = replyOf(inOrder);
      // Everything was forwarded in one call and each event has its result: the network's own words may stand.
      const isUntouched = asIs !== undefined && fit.length === judged.length && asIs.status === reply.status;
      return { ...(isUntouched ? asIs : reply), events: judged.length };
    },
  };
}

/** The events of a batch body, each judged by itself; throws a 400 when it is no batch. */
export function judgeBatch(json: unknown, now: number): readonly Judged[] {
  const parsed = parseBatch(json);
  if (!parsed.ok)
    throw new RelayError('The body is not a batch of events.', {
      status: 400,
      code: 'invalid_batch',
      problems: parsed.problems,
    });
  return parsed.value.map((raw) => judgeEvent(raw, now));
}

const FORGOTTEN: Outcome = {
  state: 'refused',
  error: { code: 'no_result', message: 'Nothing is known about this event; it may be sent again.', retryable: true },
};
const BUSY: Outcome = {
  state: 'refused',
  error: { code: 'in_flight', message: 'This event is on its way from another server; ask again.', retryable: true },
};
const WITHHELD: Reply = jsonReply(502, partnerError("The network's answer was withheld, because it held a secret."));

function busyError(): RelayError {
  return new RelayError('This event is on its way from another server.', {
    status: 503,
    code: 'in_flight',
    retryAfterMs: 1_000,
  });
}

function idsAt(indexes: readonly number[], ids: readonly (string | undefined)[]): string[] {
  return indexes.flatMap((index) => ids[index] ?? []);
}
