import { type RequestListener, type Server, createServer } from 'node:http';
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
/** Milliseconds that requests in progress have at shutdown. */
const DRAIN_MS = 5_000;

/** Where a server listens. */
export interface ListenOptions {
  /** 0 for any free port. */
  readonly port: number;
  /** 127.0.0.1 by default: only this machine can connect. */
  readonly host?: string | undefined;
  /** The option that the port came from, for the message when it is in use; `--port` by default. */
  readonly portOption?: string | undefined;
}

/** Listens with a handler of node:http, such as `toNode(relay)`. */
export function listen(listener: RequestListener, options: ListenOptions): Promise<Listening> {
  return startListening(createServer(SERVER_OPTIONS, listener), options);
}

/** Starts a server that was created with `SERVER_OPTIONS`. */
export async function startListening(server: Server, options: ListenOptions): Promise<Listening> {
  const { port, host = '127.0.0.1', portOption = '--port' } = options;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, { port, host, portOption })));
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const actualPort = typeof address === 'object' && address ? address.port : port;
  const name = LOOPBACK_OF[host] ?? (host.includes(':') ? `[${host}]` : host);
  return { url: `http://${name}:${actualPort}`, close: () => drain(server) };
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

/** Milliseconds for closing everything; then the process exits with what is left. */
const CLOSE_MS = 20_000;

/** Waits for Ctrl-C or SIGTERM, then closes everything in order. A second Ctrl-C exits at once. */
export async function untilStopped(closables: readonly { close(): Promise<void> }[]): Promise<void> {
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
  for (const closable of closables) await closable.close();
  clearTimeout(deadline);
}
