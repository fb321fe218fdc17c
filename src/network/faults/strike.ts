import { setTimeout as pause } from 'node:timers/promises';
import type { Surface } from '../context.ts';
import type { Queries } from '../database/database.ts';
import { surfaceError } from '../http/surfaceError.ts';
import type { Fault } from './fault.ts';

/** Takes the next fault that waits for a path; each strike is taken by one request, whichever process serves it. */
export async function takeFault(db: Queries, path: string): Promise<Fault | undefined> {
  const [row] = await db.query<{ fault: Fault }>(
    `UPDATE faults SET remaining = remaining - 1, hits = hits + 1
     WHERE id = (SELECT id FROM faults WHERE route = $1 AND (remaining IS NULL OR remaining > 0) ORDER BY created_at, id LIMIT 1 FOR UPDATE)
     RETURNING fault`,
    [path],
  );
  return row?.fault;
}

/** Tells whether a fault answers in the route's place, and does not only slow it down or spoil a part. */
export function replacesAnswer(fault: Fault): boolean {
  if (fault.drop_connection === true || fault.body !== undefined) return true;
  return fault.status !== undefined && fault.fail_indexes === undefined;
}

/** Answers a request through a fault: slowed down, replaced, or with its answer lost. */
export async function strike(
  fault: Fault,
  request: {
    readonly surface: Surface;
    readonly drop?: () => void;
    serve(): Promise<Response>;
    refuse(): Promise<void>;
  },
): Promise<Response> {
  if (fault.delay_ms) await pause(fault.delay_ms);
  if (!replacesAnswer(fault)) return dress(await request.serve(), fault);
  if (fault.after_commit === true) await (await request.serve()).body?.cancel();
  else await request.refuse();
  if (fault.drop_connection === true) return dropped(request.drop);
  return scripted(fault, request.surface);
}

function dress(answer: Response, fault: Fault): Response {
  const headers = new Headers(answer.headers);
  for (const [name, value] of Object.entries(fault.headers ?? {})) headers.set(name, value);
  return new Response(answer.body, { status: fault.status ?? answer.status, headers });
}

function scripted(fault: Fault, surface: Surface): Response {
  const status = fault.status ?? 200;
  const headers = new Headers(fault.headers);
  if (status === 429 && !headers.has('retry-after')) headers.set('retry-after', '1');
  if (status === 204 || status === 304) return new Response(null, { status, headers });
  if (fault.body === undefined) {
    const plain = surfaceError(surface, status, 'A scripted fault answers instead of the network.');
    for (const [name, value] of plain.headers) if (!headers.has(name)) headers.set(name, value);
    return new Response(plain.body, { status, headers });
  }
  const { body } = fault;
  const isText = typeof body === 'string';
  if (!headers.has('content-type'))
    headers.set('content-type', isText ? 'text/plain;charset=UTF-8' : 'application/json');
  return new Response(isText ? body : JSON.stringify(body), { status, headers });
}

/** Ends the connection where the server lends a hand; elsewhere the body breaks off before its first byte. */
function dropped(drop: (() => void) | undefined): Response {
  if (drop) {
    drop();
    // Nobody hears it any more; a body that breaks off would only be a stack trace in the server's log.
    return new Response(null, { status: 503 });
  }
  const body = new ReadableStream({
    start(controller) {
      controller.error(new Error('A scripted fault dropped the connection'));
    },
  });
  return new Response(body, { status: 200 });
}
