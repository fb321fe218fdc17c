import { type RequestListener, type Server, type ServerResponse, createServer } from 'node:http';
import type { Socket } from 'node:net';
import { refuseHead } from '../http/refuseHead.ts';
import { UsageError } from './ExitError.ts';

/** A server that listens. */
export interface Listening {
  readonly url: string;
  /** Stops accepting requests, lets those in progress finish, then resolves. */
  close(): Promise<void>;
}

/** Milliseconds in which a whole request must arrive; slower clients are disconnected. */
const REQUEST_TIMEOUT_MS = 10_000;
/** How often Node checks for slow clients; its default of 30 s would make the limit above meaningless. */
const SLOW_CLIENT_CHECK_MS = 2_000;
/** Three report filters of 250 values each make a long URL; Node's default of 16 KiB would refuse it with a 431. */
const MAX_HEADER_BYTES = 64 * 1024;
/** Longer than a proxy keeps idle connections (nginx: 60 s), which would else send into one that is being closed. */
const KEEP_ALIVE_MS = 75_000;
/** Options of `createServer` for every server of a command. */
export const SERVER_OPTIONS = {
  maxHeaderSize: MAX_HEADER_BYTES,
  requestTimeout: REQUEST_TIMEOUT_MS,
  headersTimeout: REQUEST_TIMEOUT_MS,
  connectionsCheckingInterval: SLOW_CLIENT_CHECK_MS,
  keepAliveTimeout: KEEP_ALIVE_MS,
};
/** The host to use in the URL of a server that listens on every address. */
const LOOPBACK_OF: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' };
/** Milliseconds in which a client must take what is written to it. A page on a slow line takes 30 KB a second. */
const UNTAKEN_MS = 30_000;
/** Requests of one connection that wait for the response before them: more than any proxy sends ahead. */
const WAITING_MAX = 64;
/** Milliseconds that requests in progress have at shutdown. */
const DRAIN_MS = 5_000;

const ODD_HEAD = 'two Host headers, or 1,000 headers and more. Check what the proxy adds.';

/** Where a server listens. */
export interface ListenOptions {
  /** 0 for any free port. */
  readonly port: number;
  /** 127.0.0.1 by default: only this machine can connect. */
  readonly host?: string | undefined;
  /** The option that the port came from, for the message when it is in use; `--port` by default. */
  readonly portOption?: string | undefined;
}

/** A handler of node:http, such as `toNode(relay)`. One that returns a promise never rejects. */
export type Listener = (...message: Parameters<RequestListener>) => unknown;

/** Listens with a handler. */
export async function listen(listener: Listener, options: ListenOptions): Promise<Listening> {
  const { port, host = '127.0.0.1', portOption = '--port' } = options;
  const handle = inTurn(listener);
  let isTold = false;
  const server = createServer(SERVER_OPTIONS, (request, response) => {
    const status = refuseHead(request.rawHeaders);
    if (status === undefined) {
      handle(request, response);
      return;
    }
    // oxlint-disable-next-line no-console -- no handler sees the request, so no log would have it
    if (!isTold) console.error(`Refused with status ${status}, as every request like it: ${ODD_HEAD}`);
    isTold = true;
    response.writeHead(status, { connection: 'close' }).end();
  });
  hangUpOnIdleReaders(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, { port, host, portOption })));
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const actualPort = typeof address === 'object' && address ? address.port : port;
  const name = LOOPBACK_OF[host] ?? (host.includes(':') ? `[${host}]` : host);
  return { url: `http://${name}:${actualPort}`, close: () => drain(server) };
}

/**
 * Handles a request when the client has taken the response before it, and hangs up on a client that sends ever more
 * meanwhile: of one that pipelines requests, one response and few requests are in memory.
 */
function inTurn(listener: Listener): RequestListener {
  const turns = new WeakMap<Socket, { latest: ServerResponse; waiting: number }>();
  return (request, response) => {
    const { socket } = request;
    const turn = turns.get(socket) ?? { latest: response, waiting: 0 };
    const before = turn.latest;
    turn.latest = response;
    turns.set(socket, turn);
    if (before === response || before.closed) return void listener(request, response);
    turn.waiting += 1;
    if (turn.waiting > WAITING_MAX) return void socket.destroy();
    before.once('close', () => {
      turn.waiting -= 1;
      if (!socket.destroyed) listener(request, response);
    });
  };
}

/** Ends connections whose client reads nothing, or almost nothing: what is written for it would be kept for ever. */
function hangUpOnIdleReaders(server: Server): void {
  /** When all that was written to a connection had been taken. */
  const takenAt = new Map<Socket, number>();
  server.on('connection', (socket) => {
    const note = (): void => void takenAt.set(socket, performance.now());
    note();
    socket.on('drain', note);
    socket.on('close', () => takenAt.delete(socket));
  });
  const timer = setInterval(() => {
    const now = performance.now();
    for (const [socket, at] of takenAt) {
      if (socket.writableLength === 0) takenAt.set(socket, now);
      else if (now - at >= UNTAKEN_MS) socket.destroy();
    }
  }, SLOW_CLIENT_CHECK_MS).unref();
  server.on('close', () => clearInterval(timer));
}

function drain(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const deadline = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
    server.close(() => {
      clearTimeout(deadline);
      resolve();
    });
    server.closeIdleConnections();
  });
}

function listenError(
  error: NodeJS.ErrnoException,
  { port, host, portOption }: { port: number; host: string; portOption: string },
): Error {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} is in use. Stop the other program, or use another port with ${portOption}.`,
    EACCES: `Port ${port} requires more rights. Use a port above 1023 with ${portOption}.`,
    EADDRNOTAVAIL: `This machine does not have the address ${host}. Use another one with --host.`,
  };
  const reason = reasons[error.code ?? ''];
  return reason === undefined ? error : new UsageError(reason);
}

/** Milliseconds for closing everything; then the process exits with what is left. Docker kills after ten seconds. */
const CLOSE_MS = 9_500;

type Closable = { close(): Promise<void> };

/**
 * Waits for Ctrl-C or SIGTERM, then closes servers, all at once, and what they use, in this order. A second Ctrl-C exits at
 * once.
 */
export async function untilStopped(servers: readonly Closable[], used: readonly Closable[] = []): Promise<void> {
  await new Promise<void>((resolve) => {
    const stop = (): void => {
      process.once('SIGINT', () => process.exit(130));
      resolve();
    };
    process.once('SIGINT', stop);
    process.once('SIGTERM', stop);
  });
  const deadline = setTimeout(() => {
    process.stderr.write(`offerlet: closing took more than ${CLOSE_MS / 1_000} seconds; exiting anyway.\n`);
    process.exit(1);
  }, CLOSE_MS);
  await Promise.all(servers.map((server) => server.close()));
  for (const each of used) await each.close();
  clearTimeout(deadline);
}
