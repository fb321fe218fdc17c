import type { Call, Wrapper } from './networkUnderTest.ts';

/** A network that breaks one promise. */
export interface BrokenNetwork {
  readonly does: string;
  /** The interfaces that are tried. */
  readonly only: readonly string[];
  /** The rules that must fail, and no other. */
  readonly fails: readonly string[];
  /** Called for each run, as some count. */
  readonly wrapper: (keys: Readonly<Partial<Record<string, string>>>) => Wrapper;
}

/** Bodies of every shape. */
export type Json = ReturnType<typeof JSON.parse>;

/** The body of a call; `undefined` if it is not JSON. */
export function json(call: Call): Json {
  try {
    return JSON.parse(call.body);
  } catch {
    return undefined;
  }
}

export const always = (wrapper: Wrapper) => (): Wrapper => wrapper;

export function eachRow(rows: Json, change: (row: Json) => void): void {
  for (const row of rows ?? []) change(row);
}

/** Changes the status of responses that have another. */
export function statusOf(path: RegExp, from: number, to: number): Wrapper {
  return async (call, send) => {
    const response = await send(call);
    if (!path.test(call.path) || response.status !== from) return response;
    return new Response(await response.text(), { status: to, headers: response.headers });
  };
}

/** Changes the JSON of successful responses, in place or by returning another. */
export function bodyOf(path: RegExp, change: (body: Json, call: Call) => unknown): Wrapper {
  return async (call, send) => {
    const response = await send(call);
    if (!path.test(call.path) || !response.ok) return response;
    const body = (await response.json()) as Json;
    return new Response(JSON.stringify(change(body, call) ?? body), response);
  };
}

/** Changes calls before the network sees them. */
export function callsTo(path: RegExp, change: (call: Call) => Partial<Call> | undefined): Wrapper {
  return (call, send) => send(path.test(call.path) ? { ...call, ...change(call) } : call);
}

/** Has the network read another body. */
export function bodies(path: RegExp, change: (body: Json) => unknown): Wrapper {
  return callsTo(path, (call) => {
    const body = json(call);
    return typeof body !== 'object' || body === null ? undefined : { body: JSON.stringify(change(body) ?? body) };
  });
}

/** Has the network read other events. */
export function eventsIn(path: RegExp, change: (event: Json) => unknown): Wrapper {
  return bodies(path, ({ events }) => {
    if (!Array.isArray(events)) return;
    for (const event of events) if (event && !Array.isArray(event)) change(event);
  });
}

/** Has the network read other headers. */
export function headersOf(path: RegExp, change: (headers: Headers) => unknown): Wrapper {
  return callsTo(path, (call) => {
    const headers = new Headers(call.headers);
    change(headers);
    return { headers };
  });
}

/** Has the network read another query. */
export function queries(path: RegExp, change: (query: URLSearchParams) => unknown): Wrapper {
  return callsTo(path, (call) => {
    const query = new URLSearchParams(call.query);
    change(query);
    return { query };
  });
}
