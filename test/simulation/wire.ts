import { DAY_MS } from '../../src/wire/utcDates.ts';
import { never, type Process, type World } from './world.ts';

/** What may happen to one request and its response. */
export const WIRE_FAULTS = [
  /** No connection: nothing was sent. */
  'unreached',
  /** The connection broke before the request was taken. */
  'request lost',
  'reply lost',
  /** The response never comes. */
  'reply hangs',
  'reply late',
  /** A part of a batch is taken, the last event is to be sent again. */
  'in part',
  /** Its body breaks off. */
  'reply cut',
  /** It arrives twice: browsers and proxies repeat a request whose connection broke. */
  'doubled',
  /** A proxy refuses it. */
  '429',
  '503 before',
  /** A proxy gives up while it was taken. */
  '503 after',
  /** It was taken, and the response is somewhere else. */
  '303 after',
  /** A captive portal. */
  'portal',
] as const;
export type WireFault = (typeof WIRE_FAULTS)[number];

/** Where requests go from one kind of program to another. */
export type Link = 'page' | 'relay';

/** A program that takes requests. */
export interface Server {
  /** `undefined` while nothing listens. */
  readonly process: Process | undefined;
  respond(request: Request, from: Process): Promise<Response>;
}

/** One request as it went, for whoever wants to know what really happened. */
export interface Exchange {
  readonly link: Link;
  readonly from: Process;
  readonly path: string;
  readonly body: unknown;
  readonly fault: WireFault | undefined;
  /** The processes that took it; two where it was doubled. */
  readonly takenBy: Process[];
  /** The status that left the server, each time. */
  readonly statuses: number[];
  /** The whole response reached who asked. */
  isAnswered: boolean;
  /** What relays call it. */
  requestId: string | null;
  /** What the server that took it said, parsed. */
  said?: unknown;
}

/** The lines between pages, relays and the network. */
export class Wire {
  readonly exchanges: Exchange[] = [];
  /** Ids of events that a relay has said to be accepted, to whoever. */
  readonly accepted = new Set<string>();
  /** Ids of events that a relay has said to be refused for good. */
  readonly refused = new Set<string>();
  readonly #world: World;
  /** Faults that are to come on a link, in order. */
  readonly #faults: Record<Link, WireFault[]> = { page: [], relay: [] };

  constructor(world: World) {
    this.#world = world;
  }

  /** Has the next requests on a link meet a fault. */
  plan(link: Link, fault: WireFault, count: number): void {
    for (let at = 0; at < count; at++) this.#faults[link].push(fault);
  }

  /** From now on nothing is wrong. */
  mend(): void {
    this.#faults.page.length = this.#faults.relay.length = 0;
  }

  /** Sends a request as `fetch` does. */
  send(
    link: Link,
    from: Process,
    servers: readonly Server[],
    { url, init }: { url: string; init: RequestInit },
  ): Promise<Response> {
    const { signal } = init;
    if (!from.reach()) return never;
    const path = new URL(url).pathname;
    const fault = this.#faults[link].shift();
    const exchange: Exchange = {
      link,
      from,
      path,
      body: typeof init.body === 'string' ? JSON.parse(init.body) : undefined,
      fault,
      takenBy: [],
      statuses: [],
      isAnswered: false,
      requestId: new Headers(init.headers).get('x-request-id'),
    };
    this.exchanges.push(exchange);
    this.#world.note(`${from.name} → ${path}${fault ? ` [${fault}]` : ''} ${describe(exchange.body)}`);
    return new Promise((resolve, reject) => {
      const fail = (error: unknown): void => void (from.isAlive && reject(error as Error));
      const cancel = (): void => fail(signal?.reason ?? new DOMException('Aborted', 'AbortError'));
      if (signal?.aborted) return cancel();
      signal?.addEventListener('abort', cancel);
      this.#carry(exchange, { servers, url, init, fault }).then((response) => from.isAlive && resolve(response), fail);
    });
  }

  async #carry(
    exchange: Exchange,
    {
      servers,
      url,
      init,
      fault,
    }: { servers: readonly Server[]; url: string; init: RequestInit; fault: WireFault | undefined },
  ): Promise<Response> {
    const world = this.#world;
    const [begun, ms] = [world.time, (): number => 1 + world.random() ** 4 * 400];
    await world.wait(ms());
    if (fault === 'unreached') throw broken('ECONNREFUSED');
    if (fault === 'request lost') throw broken('ECONNRESET');
    if (fault === '429') return refusal(429, { 'retry-after': String(Math.ceil(world.random() * 30)) });
    if (fault === '503 before') return refusal(503);
    if (fault === 'portal') return new Response('<html>', { status: 200, headers: { 'content-type': 'text/html' } });
    const take = async (): Promise<Response> => {
      // A proxy in front of several asks any of them.
      const server = servers[Math.floor(world.random() * servers.length)];
      const process = server?.process;
      if (!server || !process?.isAlive) throw broken('ECONNREFUSED');
      // No connection outlives a sleep of days.
      if (world.time - begun > 1_000) throw broken('ECONNRESET');
      exchange.takenBy.push(process);
      const { events = [] } = (exchange.body ?? {}) as { events?: unknown[] };
      const part = fault === 'in part' && events.length > 1 ? events.slice(0, -1) : undefined;
      const request = new Request(url, {
        method: init.method ?? 'GET',
        headers: init.headers ?? {},
        body: part ? JSON.stringify({ events: part }) : (init.body ?? null),
      });
      const ended = process.ended.then(() => world.wait(ms())).then(() => Promise.reject(broken('ECONNRESET')));
      const whole = await Promise.race([server.respond(request, exchange.from), ended]);
      const response = part ? await withoutLast(whole, part.length) : whole;
      const text = await response.text();
      // What a process had not sent before it died is lost with it.
      if (!process.isAlive) await ended;
      exchange.statuses.push(response.status);
      exchange.said = parse(text);
      this.#noteResults(exchange, response.status);
      exchange.requestId ??= response.headers.get('x-request-id');
      world.note(`${process.name} ← ${exchange.path} ${response.status} for ${exchange.from.name}`);
      return new Response(text === '' ? null : text, response);
    };
    const first = take();
    const second = fault === 'doubled' ? world.wait(ms()).then(take) : undefined;
    // Nobody waits for the other one.
    for (const each of [first, second]) each?.catch(() => undefined);
    const response = await (second && world.chance(0.5) ? second : first);
    if (fault === 'reply lost') throw broken('ECONNRESET');
    if (fault === 'reply hangs') return never;
    if (fault === '503 after') return refusal(503);
    if (fault === '303 after') {
      // A page asks for no redirect to be followed, and hears of none.
      if (init.redirect === 'error') throw broken('ERR_FAILED');
      return new Response(null, { status: 303, headers: { location: '/elsewhere' } });
    }
    await world.wait(fault === 'reply late' ? world.between(1_000, 20_000) : ms());
    if (world.time - begun > DAY_MS) throw broken('ECONNRESET');
    if (fault !== 'reply cut') {
      exchange.isAnswered = init.signal?.aborted !== true;
      return response;
    }
    const text = await response.text();
    const half = text.slice(0, Math.floor(text.length * world.random()));
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(half));
        controller.error(broken('ECONNRESET'));
      },
    });
    return new Response(body, response);
  }

  #noteResults({ link, body, said }: Exchange, status: number): void {
    const { events = [] } = (body ?? {}) as { events?: readonly { event_id: string }[] };
    const { results = [] } = (said ?? {}) as {
      results?: readonly { success: boolean; error?: { retryable?: boolean } }[];
    };
    if (link !== 'page') return;
    for (const [at, { event_id }] of events.entries()) {
      if (status === 201 || status === 202 || results[at]?.success === true) this.accepted.add(event_id);
      if (results[at]?.error?.retryable === false) this.refused.add(event_id);
    }
  }
}

function broken(code: string): Error {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
}

function refusal(status: number, headers: Record<string, string> = {}): Response {
  return new Response('{"message":"A proxy says so."}', {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  });
}

/** The response to the first events of a batch, as one to all of it. */
async function withoutLast(response: Response, index: number): Promise<Response> {
  const { results } = (await response.clone().json()) as { results?: unknown[] };
  if (!results) return response;
  const last = { index, success: false, error: { code: 'BUSY', message: 'Not now', retryable: true } };
  const headers = { 'x-request-id': response.headers.get('x-request-id') ?? '' };
  return Response.json({ results: [...results, last] }, { status: 207, headers });
}

function describe(body: unknown): string {
  const { events } = (body ?? {}) as { events?: readonly { event_name: string; event_id?: string }[] };
  return events?.map(({ event_name, event_id }) => `${event_name}:${event_id?.slice(0, 6) ?? ''}`).join(' ') ?? '';
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Sessions that more than one device was given, or that were in a block of the merchant's server as well. */
export function sharedSessions({ exchanges }: Wire, blocks: readonly { session: string; person: number }[]): string[] {
  const owners = new Map<string, Set<string>>();
  const add = (session: string, name: string): unknown =>
    owners.set(session, (owners.get(session) ?? new Set()).add(name));
  for (const { session, person } of blocks) add(session, `blocks of shopper ${person}`);
  for (const { link, said, from } of exchanges) {
    const { session_id } = (said ?? {}) as { session_id?: string };
    if (link === 'page' && session_id) add(session_id, from.machine.name);
  }
  return [...owners].flatMap(([session, names]) =>
    names.size > 1 ? [`4 session ${session} was given to ${[...names].join(' and ')}`] : [],
  );
}
