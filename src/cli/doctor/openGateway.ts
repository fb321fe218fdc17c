import { lookup } from 'node:dns/promises';
import { request as sendHttp, type IncomingMessage } from 'node:http';
import { connect, createServer, isIP, type AddressInfo, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Readable } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { readAddressSpace, innermostAddress, isAsPublicAs, type AddressSpace } from '../../http/addressSpace.ts';

/** A response to the doctor's own request. A redirect is a response: nothing follows it. */
export interface GatewayResponse {
  readonly status: number;
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The body is longer than what was read of it. */
  readonly isTooLong: boolean;
}

/**
 * The only way out for the browser, as a SOCKS proxy, and for the doctor's own requests. A page is a stranger that must not
 * borrow the place of the machine that examines it: what is less public than the page itself is not connected.
 */
export interface Gateway {
  /** The port of the SOCKS proxy on 127.0.0.1. */
  readonly port: number;
  /** Why hosts were not connected, by `host:port`, in the browser as well. */
  readonly failures: ReadonlyMap<string, string>;
  /** Hosts that were not connected because they are less public than the page, as `host:port`. */
  readonly refused: ReadonlySet<string>;
  /** Takes a document that the page led to into account: from a public one, only public hosts are connected. */
  narrow(url: string): Promise<void>;
  /** Requests a URL as the page would: its origin is named. Rejects when there is no response. */
  get(url: string, from: { page: string; maxBytes: number; accept?: string }): Promise<GatewayResponse>;
  close(): void;
}

/** How a gateway reaches the world. Tests have their own world. */
export interface World {
  /** The IP addresses of a name. */
  resolve(name: string): Promise<readonly string[]>;
  /** Connects to the first of the addresses that responds. */
  connect(target: { host: string; addresses: readonly string[]; port: number }): Socket;
}

/** Milliseconds for one request, and for a connection. */
const REQUEST_MS = 10_000;
const CONNECT_MS = 10_000;
/** Names that one page may have looked up, and failures that are remembered. */
const NAMES_MAX = 2_000;
/** Bytes that one page may load altogether: a page that never ends must not fill memory or disk. */
const BYTES_MAX = 300_000_000;
const AGENT = 'OfferletDoctor (bot)';

/** Opens a gateway for a page. URLs of which the caller of the command has typed the origin are trusted as well. */
export async function openGateway({
  page,
  trusted = [],
  world = SYSTEM,
}: {
  page: string;
  trusted?: readonly string[];
  world?: World;
}): Promise<Gateway> {
  const names = new Map<string, Promise<readonly string[]>>();
  const failures = new Map<string, string>();
  const refused = new Set<string>();
  const sockets = new Set<Socket>();
  const own = new Set(Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address)));
  const trustedHosts = new Set(trusted.map((url) => new URL(url).host));
  let bytes = 0;
  let space = await addressSpace(page);

  /** The addresses of a host. A name has the same ones until the end: rebinding it changes nothing. */
  function addressesOf(host: string): Promise<readonly string[]> {
    const name = host
      .replace(/^\[|\]$/g, '')
      .replace(/\.$/, '')
      .toLowerCase();
    if (isIP(name)) return Promise.resolve([name]);
    if (/(^|\.)localhost$/.test(name)) return Promise.resolve(['127.0.0.1', '::1']);
    const known = names.get(name);
    if (known) return known;
    if (names.size >= NAMES_MAX) return Promise.reject(new Error('The page names too many hosts.'));
    const found = world.resolve(name);
    found.catch(() => undefined); // reported to the caller that connects
    names.set(name, found);
    return found;
  }

  /** The space of a URL's host: the most public of its addresses. An unknown host has none, and is public. */
  async function addressSpace(url: string): Promise<AddressSpace> {
    const addresses = await addressesOf(new URL(url).hostname).catch((): string[] => []);
    const spaces = addresses.map(readAddressSpace);
    return spaces.reduce((most, one) => (isAsPublicAs(one, most) ? one : most), spaces[0] ?? 'public');
  }

  /** Connects to a host, at an address that was checked. */
  async function open(host: string, port: number, isTrusted = false): Promise<Socket> {
    const key = `${host}:${port}`;
    try {
      const addresses = await addressesOf(host);
      const pages = await addressesOf(new URL(page).hostname).catch((): string[] => []);
      const allowed = addresses.filter((address) => {
        const at = own.has(innermostAddress(address)) ? 'loopback' : readAddressSpace(address);
        return (
          isTrusted ||
          isAsPublicAs(at, space) ||
          (pages.includes(address) && isAsPublicAs(readAddressSpace(address), space))
        );
      });
      if (allowed.length === 0) {
        if (refused.size < NAMES_MAX) refused.add(key);
        throw new Error(`${host} is on this machine or in its network, and the page is not`);
      }
      const socket = world.connect({ host, addresses: allowed, port });
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      await connected(socket);
      return socket;
    } catch (error) {
      if (failures.size < NAMES_MAX) failures.set(key, describeCause(error));
      throw error;
    }
  }

  function count({ length }: Buffer): void {
    bytes += length;
    if (bytes > BYTES_MAX) for (const socket of sockets) socket.destroy();
  }

  const server = createServer((client) => {
    sockets.add(client);
    client.once('close', () => sockets.delete(client));
    client.on('error', () => undefined); // its end is what counts
    serveSocks(client, { open, count }).catch(() => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    port: (server.address() as AddressInfo).port,
    failures,
    refused,
    async narrow(url) {
      if (!/^https?:/.test(url)) return;
      const reached = await addressSpace(url);
      if (isAsPublicAs(reached, space)) space = reached;
    },
    async get(url, { page, maxBytes, accept = '*/*' }) {
      const { protocol, host, hostname, port, pathname, search } = new URL(url);
      const isTls = protocol === 'https:';
      if (!isTls && protocol !== 'http:') throw new Error(`${protocol} is not requested`);
      const number = Number(port) || (isTls ? 443 : 80);
      const signal = AbortSignal.timeout(REQUEST_MS);
      const socket = await open(hostname, number, trustedHosts.has(host));
      const stream = isTls ? connectTls({ socket, ...(isIP(hostname) ? {} : { servername: hostname }) }) : socket;
      const headers = { host, accept, 'user-agent': AGENT, 'accept-encoding': 'identity', ...siteHeaders(url, page) };
      try {
        const response = await new Promise<IncomingMessage>((resolve, reject) => {
          const options = { createConnection: () => stream, path: pathname + search, headers, signal };
          sendHttp(options, resolve).on('error', reject).end();
        });
        return {
          status: response.statusCode ?? 0,
          headers: textHeaders(response),
          ...(await readStart(response, maxBytes)),
        };
      } catch (error) {
        throw signal.aborted ? new Error(`no whole response after ${REQUEST_MS / 1_000} s`) : error;
      } finally {
        stream.destroy();
        socket.destroy();
      }
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Returns why a request failed, where the error has several layers. */
export function describeCause(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const first: unknown = cause instanceof AggregateError ? (cause.errors[0] ?? cause) : cause;
  return first instanceof Error ? first.message || String(first) : String(first);
}

/** The host and port of a URL, as `failures` and `refused` name them. */
export function hostAndPort(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${Number(port) || (protocol === 'https:' ? 443 : 80)}`;
}

/** This machine's own resolver and network. */
const SYSTEM: World = {
  resolve: async (name) => (await lookup(name, { all: true, verbatim: true })).map(({ address }) => address),
  connect({ host, addresses, port }) {
    const all = addresses.map((address) => ({ address, family: isIP(address) }));
    return connect({
      host: host.replace(/^\[|\]$/g, ''),
      port,
      autoSelectFamily: true,
      // Called for names only. They have been looked up and checked.
      lookup: (_, { all: isList }, done) =>
        isList ? done(null, all) : done(null, all[0]?.address ?? '', all[0]?.family),
    });
  },
};

/** Names the caller, as a browser would: services of this machine refuse requests from foreign pages. */
function siteHeaders(url: string, page: string): Record<string, string> {
  if (url === page) return { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
  const { origin } = new URL(page);
  const isOwn = new URL(url).origin === origin;
  const mode = { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' };
  return isOwn ? { ...mode, 'sec-fetch-site': 'same-origin' } : { ...mode, 'sec-fetch-site': 'cross-site', origin };
}

function textHeaders({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  );
}

/** Reads the beginning of a body: a hostile server may send without end, or send little that unpacks to much. */
async function readStart(
  response: IncomingMessage,
  maxBytes: number,
): Promise<Pick<GatewayResponse, 'body' | 'isTooLong'>> {
  const decoders: Record<string, () => NodeJS.ReadWriteStream> = {
    gzip: createGunzip,
    deflate: createInflate,
    br: createBrotliDecompress,
  };
  const decoder = decoders[response.headers['content-encoding'] ?? '']?.();
  if (decoder) response.on('error', (error) => (decoder as Readable & NodeJS.ReadWriteStream).destroy(error));
  const stream: AsyncIterable<Buffer> = decoder ? (response.pipe(decoder) as unknown as Readable) : response;
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    chunks.push(chunk.subarray(0, maxBytes - length));
    length += chunk.length;
    if (length > maxBytes) break;
  }
  return { body: Buffer.concat(chunks), isTooLong: length > maxBytes };
}

function connected(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => socket.destroy(new Error(`no connection after ${CONNECT_MS / 1_000} s`)),
      CONNECT_MS,
    );
    socket.once('close', () => clearTimeout(timer));
    socket.once('connect', () => (clearTimeout(timer), resolve()));
    socket.on('error', reject);
  });
}

/** Serves one connection of the browser: SOCKS 5 (RFC 1928), without authentication, CONNECT only. */
async function serveSocks(
  client: Socket,
  { open, count }: { open(host: string, port: number): Promise<Socket>; count(chunk: Buffer): void },
): Promise<void> {
  const { take, release } = openReader(client);
  const [version, methods = 0] = await take(2);
  if (version !== 5) throw new Error('Not SOCKS 5.');
  await take(methods);
  client.write(Buffer.from([5, 0]));
  const [, command, , type] = await take(4);
  const host = await readHost(type, take);
  const port = (await take(2)).readUInt16BE();
  release();
  const reply = (code: number): Buffer => Buffer.from([5, code, 0, 1, 0, 0, 0, 0, 0, 0]);
  if (command !== 1) return void client.end(reply(7));
  let target: Socket;
  try {
    target = await open(host, port);
  } catch {
    return void client.end(reply(2));
  }
  client.once('close', () => target.destroy());
  target.once('close', () => client.destroySoon());
  if (client.destroyed) return void target.destroy();
  client.write(reply(0));
  client.pipe(target).on('data', count).pipe(client);
}

type Take = (length: number) => Promise<Buffer>;

async function readHost(type: number | undefined, take: Take): Promise<string> {
  if (type === 1) return (await take(4)).join('.');
  if (type === 3) return (await take((await take(1))[0] ?? 0)).toString('latin1');
  if (type !== 4) throw new Error('Not a SOCKS address.');
  const groups = (await take(16)).toString('hex').match(/.{4}/g) ?? [];
  return new URL(`http://[${groups.join(':')}]`).hostname;
}

/** Reads a connection byte by byte, and then leaves the rest to others. */
function openReader(client: Socket): { take: Take; release(): void } {
  let read = Buffer.alloc(0);
  let isEnded = false;
  let wake: (() => void) | undefined;
  const onData = (chunk: Buffer): void => {
    read = Buffer.concat([read, chunk]);
    wake?.();
  };
  const onEnd = (): void => {
    isEnded = true;
    wake?.();
  };
  client.on('data', onData).once('end', onEnd).once('close', onEnd);
  return {
    async take(length) {
      while (read.length < length) {
        if (isEnded) throw new Error('The connection has ended.');
        await new Promise<void>((resolve) => (wake = resolve));
      }
      const taken = read.subarray(0, length);
      read = read.subarray(length);
      return taken;
    },
    release() {
      client.off('data', onData).pause();
      if (read.length > 0) client.unshift(read);
    },
  };
}
