import { setNewest } from '../http/setNewest.ts';
import { withDeadline } from '../http/withDeadline.ts';
import type { WireEvent } from '../wire/events.ts';
import { isText, own, parseJson } from '../wire/json.ts';
import { readRecommendations } from '../wire/offers/readRecommendations.ts';
import type { Caller } from './readCaller.ts';
import { explain, type Telemetry } from './telemetry.ts';

/** Hands the merchant what the network has accepted, after the response. Nothing here fails or delays a request. */
export interface Records {
  /** A response with offers, and the request for it. `isNew`: it is not one that is repeated for the same order. */
  addOffers(
    response: string,
    about: { request: Readonly<Record<string, unknown>>; isNew: boolean; caller: Caller },
  ): void;
  addEvents(accepted: readonly WireEvent[], caller: Caller): void;
}

/** Calls that may be under way. Beyond it, a record is left out: a database that hangs must not fill the memory. */
const CALLS_MAX = 10_000;
/** Sessions whose order is remembered. */
const SESSIONS_MAX = 20_000;

/** Returns the `Records` of a relay. `time`: the time of day. */
export function createRecords({ telemetry, timeoutMs, time }: RecordsOptions): Records {
  /** The order of a session; `undefined` for a session that the network gave to several orders. */
  const orders = new Map<string, string | undefined>();
  let calls = 0;

  /** Calls the merchant's function in a task of its own, when the response is on its way. */
  function call(name: string, work: () => unknown, { requestId, waitUntil }: Caller): void {
    const failed = (error: unknown): void => {
      telemetry.measure({ name: 'records_failed', value: 1 });
      telemetry.log({ level: 'error', message: `${name} failed.`, request_id: requestId, error: explain(error) });
    };
    const late = (): Error => new Error(`It took longer than ${timeoutMs} ms`);
    const begin = async (): Promise<unknown> => {
      if (calls >= CALLS_MAX) throw new Error(`${CALLS_MAX} calls have not ended`);
      calls++;
      try {
        return await withDeadline(work(), { ms: timeoutMs, late });
      } finally {
        calls--;
      }
    };
    const done = new Promise((resolve) => setTimeout(resolve)).then(begin).catch(failed);
    waitUntil?.(done);
  }

  function at(): string {
    return new Date(time()).toISOString();
  }

  function remember(session: string, order: string | undefined): void {
    const isShared = orders.has(session) && orders.get(session) !== order;
    setNewest(orders, [session, isShared ? undefined : order], { max: SESSIONS_MAX });
  }

  return {
    addOffers(response, { request, isNew, caller }) {
      const { onOffers, onEvents } = caller;
      if (!onOffers && !onEvents) return;
      const [order_id, now] = [orderOf(request), at()];
      const work = (): unknown => {
        // A network on this machine is one for tests, whether the page knows it or not.
        const read = readRecommendations(parseJson(response), { allowLoopback: true });
        if (!read.ok) return undefined;
        const { session_id, groups } = read.value;
        remember(session_id, order_id);
        const offers = groups.flatMap((group) => group.offers);
        return isNew && onOffers?.({ order_id, session_id, offers, at: now });
      };
      call('onOffers', work, caller);
    },
    addEvents(accepted, caller) {
      const { onEvents } = caller;
      if (!onEvents) return;
      const now = at();
      for (const session_id of new Set(accepted.map((event) => event.session_id))) {
        const events = accepted.filter((event) => event.session_id === session_id);
        const work = (): unknown => {
          const order_id = orders.get(session_id);
          return onEvents({ ...(order_id !== undefined && { order_id }), session_id, events, at: now });
        };
        call('onEvents', work, caller);
      }
    },
  };
}

export interface RecordsOptions {
  readonly telemetry: Telemetry;
  /** Milliseconds that a call may take. */
  readonly timeoutMs: number;
  time(): number;
}

function orderOf(request: Readonly<Record<string, unknown>>): string | undefined {
  const id = own(own(request, 'order_details'), 'order_id');
  return isText(id) || typeof id === 'number' ? String(id) : undefined;
}
