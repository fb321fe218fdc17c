import { createAdaptorServer } from '@hono/node-server';
import type { IncomingMessage, Server } from 'node:http';
import { SERVER_OPTIONS, startListening, type Listening, type ListenOptions } from '../cli/listen.ts';

/** The caller's IP address, and how to drop the connection (a scripted fault does). */
export interface Client {
  ip?: string | undefined;
  drop?(): void;
}

/** Returns the response to a request. */
export type Handler = (request: Request, from: Client) => Response | Promise<Response>;

/** Listens with a function from `Request` to `Response`. */
export function serve(handle: Handler, options: ListenOptions): Promise<Listening> {
  const server = createAdaptorServer({
    // The Host header is part of the URL, and may be one that no URL has, such as 127.999.1.1.
    fetch: (request, bindings) =>
      URL.canParse(request.url) ? handle(request, clientOf(bindings)) : new Response('Bad Request', { status: 400 }),
    serverOptions: SERVER_OPTIONS,
    overrideGlobalObjects: false,
  }) as Server;
  return startListening(server, options);
}

function clientOf(bindings: unknown): Client {
  const socket = (bindings as { incoming?: IncomingMessage }).incoming?.socket;
  return {
    ip: socket?.remoteAddress,
    drop: () => void socket?.destroy(),
  };
}
