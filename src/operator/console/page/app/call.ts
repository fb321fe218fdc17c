import type { Failure } from '../../../failures.ts';

/** A call of the console's process that failed. */
export class CallError extends Error {
  override readonly name = 'CallError';
  readonly failure: Failure;
  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

const here = import.meta.url; // a bundler would treat `new URL('…', import.meta.url)` as a file to copy
/** Where the console is mounted: the folder of its script. */
export const BASE = new URL('.', here).pathname;

/** What a call sends. */
export interface CallInit {
  readonly method?: 'POST' | 'PUT' | 'DELETE';
  readonly body?: object;
  readonly signal?: AbortSignal;
}

/** Calls the console's process. Rejects with a CallError, or with the signal's reason. */
export async function call<Body>(path: string, { method, body, signal }: CallInit = {}): Promise<Body> {
  const init: RequestInit = { method: method ?? 'GET', redirect: 'error', signal: signal ?? null };
  if (body) {
    init.body = JSON.stringify(body);
    init.headers = { 'content-type': 'application/json' };
  }
  let response: Response;
  let json: unknown;
  try {
    response = await fetch(`${BASE}api/${path}`, init);
    json = await response.json();
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new CallError({
      kind: 'unreachable',
      message: 'The console’s own process does not respond. Is it still running?',
    });
  }
  if (response.ok) return json as Body;
  const failure = json as Partial<Failure> | null;
  const message = failure?.message ?? `The console’s process returned ${response.status}.`;
  throw new CallError({ status: response.status, ...failure, kind: failure?.kind ?? 'failed', message });
}

/** The failure of any error. */
export function failureOf(error: unknown): Failure {
  return error instanceof CallError ? error.failure : { kind: 'failed', message: 'Something went wrong on this page.' };
}
