import { createAdaptorServer } from '@hono/node-server';
import type { IncomingMessage, Server } from 'node:http';
import { open, SERVER_OPTIONS, type Listening, type Where } from '../cli/listen.ts';

/** The caller's IP address, and how to drop the connection (a scripted fault does). */
export interface Client {
  ip?: string | undefined;
  drop?(): void;
}

export type Answerer = (request: Request, from: Client) => Response | Promise<Response>;

/** Listens with a function from `Request` to `Response`. */
export function serve(answer: Answerer, where: Where): Promise<Listening> {
  const server = createAdaptorServer({
    fetch: (request, bindings) => answer(request, clientOf(bindings)),
    serverOptions: SERVER_OPTIONS,
    overrideGlobalObjects: false,
  }) as Server;
  return open(server, where);
}

function clientOf(bindings: unknown): Client {
  const socket = (bindings as { incoming?: IncomingMessage }).incoming?.socket;
  return {
    ip: socket?.remoteAddress,
    drop: () => void socket?.destroy(),
  };
}
