import { setTimeout as pause } from 'node:timers/promises';
import type { RouteFault } from '../wire/scenarios/scenarios.ts';
import { type Surface, surfaceError } from './context.ts';
import type { Queries } from './database/database.ts';

/** A scripted failure, as POST /sandbox/faults describes it. */
export interface Fault extends Omit<RouteFault, 'route' | 'retry_after' | 'times'> {
  /** The exact path that it affects. */
  readonly route: string;
  /** Text is sent unchanged, anything else as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Takes the next fault that waits for a path. One request takes each, whichever process serves it. */
export async function takeFault(db: Queries, path: string): Promise<Fault | undefined> {
  const [row] = await db.query<{ fault: Fault }>(
    `UPDATE faults SET remaining = remaining - 1, hits = hits + 1
     WHERE id = (SELECT id FROM faults WHERE route = $1 AND (remaining IS NULL OR remaining > 0) ORDER BY created_at, id LIMIT 1 FOR UPDATE)
     RETURNING fault`,
    [path],
  );
  return row?.fault;
}

/** Whether a fault responds in the route's place, rather than only delaying the response or failing part of a batch. */
export function replacesResponse(fault: Fault): boolean {
  if (fault.drop_connection === true || fault.body !== undefined) return true;
  return fault.status !== undefined && fault.fail_indexes === undefined;
}

/** Responds to a request with a fault: the response is delayed, replaced or lost. */
export async function applyFault(
  fault: Fault,
  request: {
    readonly surface: Surface;
    /** Ends the connection, where the server can. */
    readonly drop?: (() => void) | undefined;
    /** Runs the route. */
    serve(): Promise<Response>;
    /** Records that the route did not run. */
    refuse(): Promise<void>;
  },
): Promise<Response> {
  if (fault.delay_ms) await pause(fault.delay_ms);
  if (!replacesResponse(fault)) return decorate(await request.serve(), fault);
  if (fault.after_commit === true) await (await request.serve()).body?.cancel();
  else await request.refuse();
  if (fault.drop_connection === true) return dropConnection(request.drop);
  return scriptedResponse(fault, request.surface);
}

function decorate(response: Response, fault: Fault): Response {
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(fault.headers ?? {})) headers.set(name, value);
  return new Response(response.body, { status: fault.status ?? response.status, headers });
}

function scriptedResponse(fault: Fault, surface: Surface): Response {
  const status = fault.status ?? 200;
  const headers = new Headers(fault.headers);
  if (status === 429 && !headers.has('retry-after')) headers.set('retry-after', '1');
  if (status === 204 || status === 304) return new Response(null, { status, headers });
  if (fault.body === undefined) {
    const plain = surfaceError(surface, status, 'This response comes from a scripted fault.');
    for (const [name, value] of plain.headers) if (!headers.has(name)) headers.set(name, value);
    return new Response(plain.body, { status, headers });
  }
  const { body } = fault;
  const isText = typeof body === 'string';
  if (!headers.has('content-type'))
    headers.set('content-type', isText ? 'text/plain;charset=UTF-8' : 'application/json');
  return new Response(isText ? body : JSON.stringify(body), { status, headers });
}

/** Ends the connection where the server can; elsewhere the body fails before its first byte. */
function dropConnection(drop: (() => void) | undefined): Response {
  if (drop) {
    drop();
    // Nobody receives this. A body that fails would only leave a stack trace in the server's log.
    return new Response(null, { status: 503 });
  }
  const body = new ReadableStream({
    start(controller) {
      controller.error(new Error('A scripted fault dropped the connection'));
    },
  });
  return new Response(body, { status: 200 });
}
