import { createServer, type RequestListener, type Server } from 'node:http';
import { UsageError } from './settings.ts';

export interface Listening {
  readonly url: string;
  /** Takes no new request, lets those under way finish, then resolves. */
  close(): Promise<void>;
}

/** Time for a whole request to arrive; a client slower than that is cut off. */
const REQUEST_TIMEOUT_MS = 10_000;
/** Node looks for slow clients only this often; its default of 30 s would triple the limit above. */
const SLOW_CLIENT_CHECK_MS = 2_000;
/** Three report filters of 250 values each make a long address; Node's default of 16 KiB would answer 431. */
const MAX_HEADER_BYTES = 64 * 1024;
/** Options of `createServer` for every server of a command. */
export const SERVER_OPTIONS = {
  maxHeaderSize: MAX_HEADER_BYTES,
  requestTimeout: REQUEST_TIMEOUT_MS,
  headersTimeout: REQUEST_TIMEOUT_MS,
  connectionsCheckingInterval: SLOW_CLIENT_CHECK_MS,
};
/** A server that listens on every address is reached from this machine at the loopback address. */
const LOOPBACK_OF: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' };
/** Requests under way get this long at shutdown. */
const DRAIN_MS = 5_000;

/** A port (0: any free one), on this machine alone unless `host` says otherwise. */
export interface Where {
  port: number;
  host?: string | undefined;
}

/** Listens with a handler of node:http, such as `toNode(relay)`. */
export function listen(listener: RequestListener, where: Where): Promise<Listening> {
  return open(createServer(SERVER_OPTIONS, listener), where);
}

/** Has a server listen that was created with `SERVER_OPTIONS`. */
export async function open(server: Server, where: Where): Promise<Listening> {
  const host = where.host ?? '127.0.0.1';
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explain(error, { port: where.port, host })));
    server.listen(where.port, host, resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : where.port;
  const name = LOOPBACK_OF[host] ?? (host.includes(':') ? `[${host}]` : host);
  return { url: `http://${name}:${port}`, close: () => drain(server) };
}

function drain(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const cutOff = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
    server.close(() => {
      clearTimeout(cutOff);
      resolve();
    });
    server.closeIdleConnections();
  });
}

function explain(error: NodeJS.ErrnoException, where: { port: number; host: string }): Error {
  if (error.code === 'EADDRINUSE')
    return new UsageError(`Port ${where.port} is in use: stop what listens there, or choose another with --port.`, {
      cause: error,
    });
  if (error.code === 'EACCES')
    return new UsageError(`Port ${where.port} needs more rights: choose one above 1023 with --port.`, { cause: error });
  if (error.code === 'EADDRNOTAVAIL')
    return new UsageError(`This machine has no address ${where.host}: choose another with --host.`, { cause: error });
  return error;
}
