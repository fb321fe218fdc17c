import { existsSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { getRequestListener } from '@hono/node-server';
import type { Options } from '../program/command.ts';
import { UsageError } from '../program/ExitError.ts';
import { listen, type Listening, type ListenOptions, untilStopped } from '../program/listen.ts';
import type { Output } from '../program/terminal.ts';
import { readHostName } from '../http/refuseForeign.ts';
import { createNetwork, type Network, type NetworkOptions } from '../network.ts';

const DEFAULT_DATA = '.offerlet/network';

/** The options of `startNetwork`: where to listen, and what `createNetwork` takes. */
interface StartNetworkOptions extends NetworkOptions {
  readonly port: number;
  /** The option that the port came from; `--port` by default. */
  readonly portOption?: string | undefined;
  readonly host?: string | undefined;
}

/** The directory of a network's data; `undefined` in memory and on a server. */
export function dataDirectory({ memory, databaseUrl, data = DEFAULT_DATA }: NetworkOptions): string | undefined {
  return memory || databaseUrl !== undefined ? undefined : data;
}

/** What a first start puts into the database, to be said before it does; empty where data is stored already, or may be. */
export function seedingNote({ seed = 'demo', ...place }: NetworkOptions): string {
  const data = dataDirectory(place);
  const isFirst = data === undefined ? place.databaseUrl === undefined : !existsSync(join(data, 'database'));
  return isFirst && seed === 'demo'
    ? ' The first start seeds 46 offers and 60 days of history; this takes a few seconds.'
    : '';
}

/** Listens, then starts the network on its database: a port in use is reported at once. Until it has started, callers get a 503. */
export async function startNetwork({
  port,
  host,
  portOption,
  ...options
}: StartNetworkOptions): Promise<{ network: Network; server: Listening }> {
  const { networkUrl, trustedProxies = [] } = options;
  const isProxied = trustedProxies.length > 0;
  const starting = 'The network is starting.';
  // In the forms of errors that the interfaces have.
  let respond: Responder = () =>
    Response.json({ message: starting, detail: starting }, { status: 503, headers: { 'retry-after': '1' } });
  const server = await serve((request, from) => respond(request, from), { port, host, portOption });
  try {
    const network = await createNetwork({
      ...options,
      data: dataDirectory(options),
      // On every address and behind proxies, each caller reaches it at another URL: that of its request.
      networkUrl: networkUrl ?? (isWildcard(host) || isProxied ? undefined : server.url),
    });
    respond = (request, from) => network.fetch(request, from);
    return { network, server };
  } catch (error) {
    await server.close();
    throw error;
  }
}

function isWildcard(host: string | undefined): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** Who sent a request: its IP address, and how to drop the connection (a scripted fault does). */
export type Peer = NonNullable<Parameters<Network['fetch']>[1]>;

/** Returns the response to a request. */
export type Responder = (request: Request, from: Peer) => Response | Promise<Response>;

/** Listens with a function from `Request` to `Response`. */
export function serve(handle: Responder, options: ListenOptions): Promise<Listening> {
  const listener = getRequestListener(
    // The Host header is part of the URL, and may be one that no URL has, such as 127.999.1.1.
    (request, bindings) =>
      URL.canParse(request.url) ? handle(request, readPeer(bindings)) : new Response('Bad Request', { status: 400 }),
    { overrideGlobalObjects: false },
  );
  return listen(listener, options);
}

function readPeer(bindings: unknown): Peer {
  const socket = (bindings as { incoming?: IncomingMessage }).incoming?.socket;
  return { ip: socket?.remoteAddress, drop: () => void socket?.destroy() };
}

/** Waits until a command is stopped and closes what it started. Throws at once when another process takes the network's data over. */
export async function untilStoppedOrLost(
  network: Network,
  servers: readonly { close(): Promise<void> }[],
  used: readonly { close(): Promise<void> }[] = [],
): Promise<void> {
  const lost = await Promise.race([untilStopped(servers, [...used, network]), network.lost]);
  if (lost) throw new UsageError(lost.message);
}

// Options that the commands sandbox and network share.

/** Where the network stores its data. */
export const DATABASE = {
  data: { kind: 'text', value: 'DIR', about: 'Directory of the embedded database. Default: .offerlet/network.' },
  memory: { kind: 'flag', about: 'Stores nothing on disk.' },
  'database-url': { kind: 'text', value: 'URL', about: 'Uses a PostgreSQL server (15 or newer) instead.' },
  wait: {
    kind: 'text',
    value: 'SECONDS',
    about: 'How long to wait at the start for a PostgreSQL server that cannot be reached. Default: 0.',
  },
} as const satisfies Options;

/** Who may call the controls. */
export const CONTROL_HOST = {
  kind: 'list',
  value: 'NAME',
  about:
    'Another host name at which the controls under /sandbox/ may be called, for containers and CI. By default only localhost and 127.0.0.1, from this machine.',
} as const;

/** Output for programs. */
export const JSON_OUTPUT = { kind: 'flag', about: 'Prints one JSON object as the first line of output.' } as const;

/**
 * Reads `--database-url`. A password on the command line is used, with a warning. Throws a `UsageError`, which does not repeat
 * the URL.
 */
export function readDatabaseUrl(
  url: string | undefined,
  { argv, out }: { readonly argv: readonly string[]; readonly out: Pick<Output, 'log'> },
): string | undefined {
  if (argv.some((argument) => /\bpostgres(?:ql)?:.*(?::[^/].*@|password=)/i.test(argument)))
    out.log(
      'Every account of this machine can read the password in --database-url. Set OFFERLET_DATABASE_URL instead.',
    );
  // The driver takes anything else for the path of a socket, and its error would repeat it with the password.
  if (url !== undefined && !/^postgres(ql)?:\/\//i.test(url))
    throw new UsageError(
      '--database-url is not the URL of a PostgreSQL server. Use something like postgres://me@db.example/offers.',
    );
  return url;
}

/** Reads `--wait`. Throws a `UsageError` unless it is a number of seconds. */
export function readWait(text: string | undefined): number {
  const seconds = Number(text ?? 0);
  if (text?.trim() !== '' && seconds >= 0 && seconds <= 86_400) return seconds;
  throw new UsageError(`--wait is not a number of seconds: "${text ?? ''}". Use something like 60.`);
}

/** The host names of `--control-host`, as `URL` writes them; a `UsageError` names the one that is not a host name. */
export function readControlHosts(names: readonly string[]): readonly string[] {
  return names.map((name) => {
    const host = readHostName(name);
    if (host === undefined)
      throw new UsageError(`--control-host is not a host name: "${name}". Use something like network or ci.example.`);
    return host;
  });
}
