import { text } from 'node:stream/consumers';
import { serve, type Served } from '../fixtures/serve.ts';
import { batchResponse, batchStatus, type BatchResult, type WireEvent } from '../../src/wire/events.ts';

/** What goes wrong with one request. Nothing does by default. */
export interface Fault {
  /** Responds with this in place of what the network would. */
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
  /** The response is lost, after the network has stored the events. */
  readonly lost?: boolean;
  /** No connection is made. */
  readonly refused?: boolean;
  readonly throws?: Error;
  /** Never responds. */
  readonly hangs?: boolean;
  /** Positions and ids of events that are not stored; `finally`: and never will be. */
  readonly fails?: readonly number[];
  readonly failsIds?: readonly string[];
  readonly finally?: readonly number[];
  /** Positions that are not in the results, which therefore may be stored or not. */
  readonly omits?: readonly number[];
  /** Adds a second result that contradicts the first. */
  readonly doubles?: boolean;
}

export interface ReceivedCall {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: { readonly events?: readonly WireEvent[] };
}

/** A network in memory that stores an event_id of a session once, and a conversion_id once. It fails as `fault` says. */
export interface ModelNetwork {
  readonly calls: ReceivedCall[];
  readonly stored: WireEvent[];
  /** Called with the number of the request, from 1, and its events. */
  fault: (call: number, events: readonly WireEvent[]) => Fault;
  fetch(url: string, init: RequestInit): Promise<Response>;
  /** How many events each request had. */
  sizes(): number[];
  idsOf(call: number): (string | undefined)[];
}

export function openModelNetwork(): ModelNetwork {
  const seen = new Set<string>();
  const network: ModelNetwork = {
    calls: [],
    stored: [],
    fault: () => ({}),
    sizes: () => network.calls.map(({ body }) => body.events?.length ?? 1),
    idsOf: (call) => (network.calls[call]?.body.events ?? []).map(({ event_id }) => event_id),
    async fetch(url, init) {
      const { pathname } = new URL(url);
      const body = JSON.parse(init.body as string) as { events?: WireEvent[] } & WireEvent;
      const events = body.events ?? (pathname === '/events' ? [body] : []);
      network.calls.push({ path: pathname, headers: init.headers as Record<string, string>, body });
      const fault = network.fault(network.calls.length, events);
      if (fault.hangs) await new Promise<never>(() => undefined);
      if (fault.throws) throw fault.throws;
      if (fault.refused) throw Object.assign(new TypeError('fetch failed'), { code: 'ECONNREFUSED' });
      if (fault.status !== undefined)
        return new Response(typeof fault.body === 'string' ? fault.body : JSON.stringify(fault.body ?? {}), {
          status: fault.status,
          ...(fault.headers ? { headers: fault.headers } : {}),
        });
      if (pathname === '/recommendations') {
        if (fault.lost) throw new TypeError('fetch failed');
        return Response.json(RECOMMENDATIONS);
      }
      const results = events.map((event, index): BatchResult => {
        const isFinal = fault.finally?.includes(index) === true;
        if (isFinal || fault.fails?.includes(index) || fault.failsIds?.includes(event.event_id ?? ''))
          return { index, success: false, error: { code: 'NO', message: 'It is not wanted.', retryable: !isFinal } };
        store(event);
        return { index, success: true };
      });
      if (fault.lost) throw new TypeError('fetch failed');
      if (pathname === '/events') return new Response(null, { status: 201 });
      const status = batchStatus(batchResponse(results));
      const listed = results.filter(({ index }) => !fault.omits?.includes(index));
      if (fault.doubles && listed[0]) listed.push({ index: listed[0].index, success: !listed[0].success });
      const isOdd = listed.length !== results.length;
      const { headers = {} } = fault;
      return Response.json({ results: listed }, { status: isOdd && status === 202 ? 207 : status, headers });
    },
  };

  function store(event: WireEvent): void {
    const key = JSON.stringify([event.session_id.toLowerCase(), event.event_id]);
    if (seen.has(key)) return;
    seen.add(key);
    network.stored.push(event);
  }

  return network;
}

/** Serves a network on a free port; the test closes it. `beforeResponse` may wait, or end the client. */
export function serveNetwork(network: ModelNetwork, beforeResponse?: () => unknown): Promise<Served> {
  return serve((request, response) => {
    const headers = request.headers as Record<string, string>;
    text(request)
      .then((body) => network.fetch(`http://127.0.0.1${request.url ?? ''}`, { body, headers }))
      .then(async (reply) => {
        await beforeResponse?.();
        response.writeHead(reply.status, [...reply.headers].flat()).end(await reply.text());
      })
      .catch(() => response.destroy());
  });
}

const SESSION = '6f1c2f0e-5b0e-4c60-9d53-2f6f6c1d7a10';
const offer = (id: string, target_url = 'https://shop.example/a'): object => ({
  advertiser: { id: `a-${id}`, name: 'Vantry', logo_url: 'https://shop.example/logo.svg' },
  offer: { id, heading: 'A case', target_url, cta_details: { accept_copy: 'Yes', decline_copy: 'No' } },
});
const RECOMMENDATIONS = {
  session_id: SESSION,
  recommendations: { one: offer('one'), two: offer('two'), unsafe: offer('unsafe', 'javascript:alert(1)') },
  recommendation_groups: [
    {
      id: 'group_0',
      items: [
        { insertion_order: 2, insertion_id: 'i-1', offer_id: 'one', advertiser_id: 'a-one' },
        { insertion_order: 1, insertion_id: 'i-2', offer_id: 'two', advertiser_id: 'a-two' },
        { insertion_order: 3, insertion_id: 'i-3', offer_id: 'unsafe', advertiser_id: 'a-unsafe' },
      ],
    },
  ],
  footer: {},
};
