import { batchResponse, batchStatus, readBatchResponse } from '../events/batch.ts';
import type { BatchResult } from '../events/wireEvent.ts';
import type { Fault, Forcing } from './forcing.ts';
import { own, parseJson } from '../json.ts';
import { reshape } from './reshape.ts';

type Fetch = typeof globalThis.fetch;

/** A `fetch` that plays the server's part of a scenario around a real one. Requests to other routes pass untouched. */
export function forcedFetch(fetch: Fetch, { answer, faults = [] }: Forcing): Fetch {
  const left = new Map(faults.map((fault) => [fault, fault.times ?? Infinity]));

  return async (input, init) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input, globalThis.location?.href);
    const body = await textOf(input, init);
    const fault = faults.find(
      (candidate) =>
        pathname.endsWith(candidate.route) && (left.get(candidate) ?? 0) > 0 && hasAny(candidate.fail_indexes, body),
    );
    if (fault) {
      left.set(fault, (left.get(fault) ?? 0) - 1);
      return strike(fault, { ask: () => fetch(input, init), fetch, input, init, body });
    }
    const response = await fetch(input, init);
    if (!answer || !response.ok || !pathname.endsWith('/recommendations')) return response;
    return Response.json(reshape(await response.json(), answer), { status: response.status });
  };
}

interface Call {
  readonly input: Parameters<Fetch>[0];
  readonly init: RequestInit | undefined;
  readonly body: string;
  readonly fetch: Fetch;
  ask(): Promise<Response>;
}

async function strike(fault: Fault, call: Call): Promise<Response> {
  const { status, delay_ms, fail_indexes, drop_connection, after_commit, retry_after } = fault;
  const signal = call.input instanceof Request ? call.input.signal : call.init?.signal;
  if (delay_ms) await pause(delay_ms, signal);
  if (after_commit) await call.ask();
  if (drop_connection) throw new TypeError('Failed to fetch: the scenario hung up');
  if (fail_indexes) return failSome(fault, call);
  if (status === undefined) return call.ask();
  const headers: HeadersInit = retry_after === undefined ? {} : { 'retry-after': String(retry_after) };
  return Response.json({ message: `The scenario answers ${status}.` }, { status, headers });
}

/** The named events are refused here, the others are asked for really; the answer is one of both. */
async function failSome({ fail_indexes = [], retryable = true }: Fault, call: Call): Promise<Response> {
  const events = eventsOf(call.body);
  const passed = [...events.keys()].filter((index) => !fail_indexes.includes(index));
  const error = { code: 'SCENARIO', message: 'The scenario refuses this event.', retryable };
  const results: BatchResult[] = [...events.keys()].map((index) => ({ index, success: false, error }));
  if (passed.length > 0) {
    const body = JSON.stringify({ events: passed.map((index) => events[index]) });
    const response = await call.fetch(call.input, { ...call.init, body });
    if (!response.ok) return response;
    const { accepted, refused } = readBatchResponse(await response.json(), passed.length);
    for (const [at, index] of passed.entries()) {
      const { code = '', message = '', retryable = true } = refused.get(at) ?? {};
      results[index] = accepted.has(at)
        ? { index, success: true }
        : { index, success: false, error: { code, message, retryable } };
    }
  }
  return Response.json(batchResponse(results), { status: batchStatus(results) });
}

function hasAny(indexes: readonly number[] | undefined, body: string): boolean {
  return indexes === undefined || indexes.some((index) => index < eventsOf(body).length);
}

function eventsOf(body: string): readonly unknown[] {
  const events = own(parseJson(body), 'events');
  return Array.isArray(events) ? events : [];
}

async function textOf(input: Parameters<Fetch>[0], init: RequestInit | undefined): Promise<string> {
  if (typeof init?.body === 'string') return init.body;
  return input instanceof Request ? input.clone().text() : '';
}

function pause(ms: number, signal: AbortSignal | null | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
    if (signal?.aborted) reject(signal.reason as Error);
  });
}
