import { vi } from 'vitest';
import { createRelay, type LogEntry, type Relay, type RelayMetric, type RelayOptions } from '../../src/relay.ts';
import { allAccepted } from '../wire/offers/wholeResponse.ts';
import { posting } from '../fixtures/posting.ts';
import { SESSION } from './event.ts';

export { event, SESSION } from './event.ts';

export const KEY = 'adnet_rk_test_canary0123456789';
export const HASH = 'b4c9a289323b21a01c3e940f150eb9b8c542587f1abfd8f0e1cc1ffc5e475514';
export const REQUEST = {
  user_details: { email_hash: HASH },
  placement_details: { view: 'THANK_YOU', display_mode: 'INLINE' },
};
export const RESPONSE = {
  session_id: SESSION,
  recommendations: {},
  recommendation_groups: [],
  footer: {},
  unknown_part: { kept: [1, 2.5] },
};

/** One request that reached the network. */
export interface Call {
  path: string;
  method: string;
  headers: Headers;
  body: Record<string, unknown>;
  text: string;
  redirect: string | undefined;
}

export type NetworkReply = Response | Promise<Response>;

/** A network in this process: records the calls that reach it, and returns what the test says. */
export interface ScriptedNetwork {
  fetch: typeof fetch;
  calls: Call[];
  /** Sets what it returns from now on. */
  respondWith(reply: (call: Call) => NetworkReply): void;
  /** Every event that reached it, in order. */
  events(): Record<string, unknown>[];
}

export function createScriptedNetwork(): ScriptedNetwork {
  const calls: Call[] = [];
  let reply: (call: Call) => NetworkReply = accept;
  return {
    calls,
    fetch: async (input, init) => {
      const text = typeof init?.body === 'string' ? init.body : '';
      const call: Call = {
        path: new URL(input instanceof Request ? input.url : input).pathname,
        method: init?.method ?? 'GET',
        headers: new Headers(init?.headers),
        body: (text ? JSON.parse(text) : {}) as Record<string, unknown>,
        text,
        redirect: init?.redirect,
      };
      calls.push(call);
      const aborted = new Promise<never>((_, reject) => {
        init?.signal?.addEventListener('abort', () => reject(new DOMException('Aborted', 'AbortError')));
      });
      return Promise.race([Promise.resolve(reply(call)), aborted]);
    },
    respondWith: (next) => {
      reply = next;
    },
    events: () =>
      calls.flatMap((call) =>
        call.path === '/events' ? [call.body] : ((call.body['events'] as Record<string, unknown>[] | undefined) ?? []),
      ),
  };
}

/** The response of a network that accepts everything. */
export function accept(call: Call): Response {
  if (call.path === '/recommendations') return json(200, RESPONSE);
  if (call.path === '/events') return new Response(null, { status: 201 });
  return json(202, allAccepted(call.body['events'] as unknown[]));
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } });
}

/** Stops the clock that durations are measured by, until `vi.advanceTimersByTime` and `vi.useRealTimers`. */
export function useFakeClock(): void {
  vi.useFakeTimers({ toFake: ['performance'] });
}

export interface Bench {
  network: ScriptedNetwork;
  relay: Relay;
  logs: LogEntry[];
  metrics: RelayMetric[];
  /** Posts JSON to the relay as a page does. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  /** The sum of a metric. */
  counted(name: RelayMetric['name']): number;
}

/** A relay on a fake network, with everything that it logs and measures. */
export function setUp(options: Partial<RelayOptions> = {}): Bench {
  const network = createScriptedNetwork();
  const logs: LogEntry[] = [];
  const metrics: RelayMetric[] = [];
  const relay = createRelay({
    apiKey: KEY,
    version: '1.0.0',
    networkUrl: 'https://network.example',
    fetch: network.fetch,
    // These requests carry no address; test/relay/limits/callers.test.ts reads what is said about that.
    onLog: (entry) => void (entry.message.startsWith('The runtime passes no IP address') || logs.push(entry)),
    onMetric: (metric) => metrics.push(metric),
    ...options,
  });
  return {
    network,
    relay,
    logs,
    metrics,
    post: (path, body, headers) => postTo(relay, path, body, { headers }),
    counted: (name) => metrics.filter((metric) => metric.name === name).reduce((sum, metric) => sum + metric.value, 0),
  };
}

/** Posts JSON to a relay, as the page of a shop does, from this address. */
export function postTo(
  relay: (request: Request, info: { ip?: string }) => Promise<Response>,
  path: string,
  body: unknown,
  { headers = {}, ip }: { headers?: Record<string, string> | undefined; ip?: string | undefined } = {},
): Promise<Response> {
  return relay(new Request(`https://shop.example${path}`, posting(body, headers)), ip === undefined ? {} : { ip });
}

/** Asks a relay for offers. */
export function ask(relay: Relay, from: { ip?: string } = {}): Promise<Response> {
  return postTo(relay, '/recommendations', REQUEST, from);
}

/** The results in a response to a batch. */
export async function resultsOf(
  response: Response,
): Promise<{ index: number; success: boolean; error?: { code: string; message: string; retryable: boolean } }[]> {
  const body = (await response.json()) as {
    results: { index: number; success: boolean; error?: { code: string; message: string; retryable: boolean } }[];
  };
  return body.results;
}
