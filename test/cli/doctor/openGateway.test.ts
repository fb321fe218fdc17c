import { createServer as createTlsServer } from 'node:https';
import { connect, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { readAddressSpace } from '../../../src/http/addressSpace.ts';
import { openGateway, hostAndPort, type Gateway } from '../../../src/cli/doctor/openGateway.ts';
import { ofSuite } from '../../fixtures/opened.ts';
import { serve } from '../../fixtures/serve.ts';
import { selfSigned } from '../../relay/upstream/selfSigned.ts';
import { fakeWorld, PUBLIC, PUBLIC_6, type FakeWorld } from './fakeWorld.ts';

const SPACES = {
  loopback: [
    '169.254.169.254',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    'fe80::1',
    'fe80::1%eth0',
    'febf::1',
    'fd00:ec2::254',
    'fd20:ce::254',
    '::ffff:169.254.169.254',
    '64:ff9b::a9fe:a9fe',
    '127.0.0.1',
    '127.255.3.4',
    '0.0.0.0',
    '0.1.2.3',
    '::1',
    '::',
    '::ffff:127.0.0.1',
    '::ffff:0:0',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '::ffff:0:7f00:1',
  ],
  local: [
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '100.64.0.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    'fc00::1',
    'fec0::1',
    'ff02::1',
    '::ffff:10.0.0.1',
    '64:ff9b::a00:1',
    '64:ff9b:1::1',
    '2002:a00:1::',
    '2001::1',
    '2001:db8::1',
    '100::1',
    '4000::1',
  ],
  public: [
    '93.184.216.34',
    '8.8.8.8',
    '172.15.255.255',
    '172.32.0.1',
    '100.128.0.1',
    '11.0.0.1',
    '2606:4700::1111',
    '2a00:1450::1',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
    '2002:808:808::',
  ],
} as const;

test.each(Object.entries(SPACES))('%s addresses are recognized in every notation', (space, addresses) => {
  for (const address of addresses) expect(readAddressSpace(address), address).toBe(space);
});

let calls: { url: string | undefined; headers: NodeJS.Dict<string | string[]> }[];
const server = ofSuite(() =>
  serve((request, response) => {
    calls.push({ url: `${request.headers.host}${request.url}`, headers: request.headers });
    const { pathname } = new URL(request.url ?? '', 'http://x');
    if (pathname === '/redirect') return void response.writeHead(302, { location: '/elsewhere' }).end('moved');
    if (pathname === '/gzip')
      return void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('packed'));
    if (pathname === '/bomb')
      return void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(50_000_000)));
    if (pathname === '/broken') return void response.writeHead(200, { 'content-encoding': 'gzip' }).end('not packed');
    if (pathname === '/endless') {
      const send = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536, 32)));
      };
      response.on('drain', send);
      return send();
    }
    response.end('hello');
  }),
);
beforeEach(() => void (calls = []));

const opened: Gateway[] = [];
afterEach(() => {
  for (const gateway of opened.splice(0)) gateway.close();
});

async function open(
  page: string,
  names: Parameters<typeof fakeWorld>[0]['names'],
  trusted: string[] = [],
): Promise<Gateway & { world: FakeWorld }> {
  const world = fakeWorld({ names, port: server.port });
  const gateway = await openGateway({ page, trusted, world });
  opened.push(gateway);
  return Object.assign(gateway, { world });
}

const SHOP = 'http://shop.example/thank-you';
const NAMES = { 'shop.example': [PUBLIC], 'cdn.example': [PUBLIC_6, PUBLIC] };

/** Every way to name a service of this machine, or of its network. */
function localUrls(): string[] {
  return [
    `http://127.0.0.1:${server.port}/`,
    `http://localhost:${server.port}/`,
    `http://LOCALHOST.:${server.port}/`,
    `http://console.localhost:${server.port}/`,
    `http://127.1:${server.port}/`,
    `http://2130706433:${server.port}/`,
    `http://0x7f.0.0.1:${server.port}/`,
    `http://0.0.0.0:${server.port}/`,
    `http://0/`,
    `http://[::1]:${server.port}/`,
    `http://[::]:${server.port}/`,
    `http://[::ffff:127.0.0.1]:${server.port}/`,
    `http://[::ffff:7f00:1]:${server.port}/`,
    `http://named.example:${server.port}/`,
    `http://named6.example:${server.port}/`,
    'http://169.254.169.254/latest/meta-data/',
    'http://metadata.example/computeMetadata/v1/',
    'http://[fd00:ec2::254]/latest/',
    'https://192.168.1.1/',
    'http://10.0.0.1:8080/',
  ];
}
const LOCAL_NAMES = {
  ...NAMES,
  'named.example': ['127.0.0.1'],
  'named6.example': ['::1', '::ffff:127.0.0.1'],
  'metadata.example': ['169.254.169.254'],
};

test('for a public page, nothing on this machine or in its network is connected', async () => {
  const gateway = await open(SHOP, LOCAL_NAMES);
  for (const url of localUrls()) {
    await expect(gateway.get(url, { page: SHOP, maxBytes: 100 }), url).rejects.toThrow(
      /is on this machine or in its network/,
    );
    expect(await askSocks(gateway.port, new URL(url)), url).toBe(2);
    expect(gateway.refused, url).toContain(hostAndPort(url));
  }
  expect([calls, gateway.world.connected]).toEqual([[], []]);
});

test('a page on this machine reaches it; a page of the network reaches the network, and this machine not', async () => {
  const near = await open(`http://localhost:${server.port}/`, LOCAL_NAMES);
  for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', 'named.example'])
    expect((await near.get(`http://${host}:${server.port}/`, { page: SHOP, maxBytes: 100 })).status, host).toBe(200);
  const intranet = await open('http://intranet.example/', { 'intranet.example': ['10.0.0.1'] });
  for (const host of [`127.0.0.1:${server.port}`, '169.254.169.254'])
    expect(await askSocks(intranet.port, new URL(`http://${host}/`)), host).toBe(2);
  expect(intranet.world.connected).toEqual([]);
});

const [mine] = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .filter(({ family, internal }) => family === 'IPv4' && !internal);
test.runIf(mine)(
  'this machine is not reached by the address that others in its network know, in any notation',
  async () => {
    const address = mine?.address ?? '';
    const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
    const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
    const gateway = await open('http://intranet.example/', {
      'intranet.example': ['10.0.0.1'],
      'me.example': [`::ffff:${address}`],
    });
    for (const host of [address, `[::ffff:${address}]`, `[64:ff9b::${hex}]`, `[2002:${hex}::]`, 'me.example'])
      expect(await askSocks(gateway.port, new URL(`http://${host}:${server.port}/`)), host).toBe(2);
    expect(gateway.world.connected).toEqual([]);
  },
);

test('a name of several addresses is connected at those that are public', async () => {
  const gateway = await open(SHOP, { ...NAMES, 'mixed.example': ['127.0.0.1', PUBLIC] });
  expect((await gateway.get('http://mixed.example/', { page: SHOP, maxBytes: 100 })).status).toBe(200);
  expect(gateway.world.connected).toEqual([`${PUBLIC}:80`]);
  // A page is as public as its most public address: otherwise one more record would be a licence.
  const mixed = await open('http://mixed.example/', { 'mixed.example': ['127.0.0.1', PUBLIC] });
  expect(await askSocks(mixed.port, new URL(`http://127.0.0.1:${server.port}/`))).toBe(2);
});

test('a name that is bound to another address between check and use keeps the first one', async () => {
  let answers = 0;
  const rebinding = (): readonly string[] => (answers++ === 0 ? [PUBLIC] : ['127.0.0.1']);
  const gateway = await open(SHOP, { 'shop.example': rebinding });
  for (let round = 0; round < 5; round++) {
    expect((await gateway.get(`http://shop.example:${server.port}/`, { page: SHOP, maxBytes: 100 })).status).toBe(200);
    expect(await askSocks(gateway.port, new URL(`http://shop.example:${server.port}/`))).toBe(0);
  }
  expect(answers).toBe(1);
  expect(new Set(gateway.world.connected)).toEqual(new Set([`${PUBLIC}:${server.port}`]));
  // The other way round: a page that is local when it is looked up, and would be a stranger's when it is loaded.
  let later = 0;
  const local = await open('http://evil.example/', {
    'evil.example': () => (later++ === 0 ? ['127.0.0.1'] : [PUBLIC]),
  });
  await local.get(`http://evil.example:${server.port}/`, { page: SHOP, maxBytes: 100 });
  expect(local.world.connected).toEqual([`127.0.0.1:${server.port}`]);
});

test('a page on this machine that leads to a public one takes nothing with it', async () => {
  const gateway = await open(`http://127.0.0.1:${server.port}/`, LOCAL_NAMES);
  await gateway.narrow('about:blank');
  await gateway.narrow(`http://127.0.0.1:${server.port}/other`);
  expect(await askSocks(gateway.port, new URL(`http://127.0.0.1:${server.port}/`))).toBe(0);
  await gateway.narrow(SHOP);
  await gateway.narrow(`http://127.0.0.1:${server.port}/`);
  expect(await askSocks(gateway.port, new URL(`http://127.0.0.1:${server.port}/`))).toBe(2);
});

test('the relay that the caller has typed is trusted for requests of the doctor, not for the browser', async () => {
  const relay = `http://127.0.0.1:${server.port}/offers`;
  const gateway = await open(SHOP, NAMES, [relay]);
  expect((await gateway.get(`${relay}/health`, { page: SHOP, maxBytes: 100 })).status).toBe(200);
  expect(await askSocks(gateway.port, new URL(relay))).toBe(2);
  await expect(gateway.get(`http://127.0.0.1:${server.port + 1}/`, { page: SHOP, maxBytes: 100 })).rejects.toThrow(
    /is on this machine/,
  );
});

test('a redirect is a response, and the page is named to whom it does not own', async () => {
  const gateway = await open(SHOP, NAMES);
  expect(await gateway.get('http://shop.example/redirect', { page: SHOP, maxBytes: 100 })).toMatchObject({
    status: 302,
    headers: { location: '/elsewhere' },
  });
  await gateway.get('http://user:password@cdn.example/x?y=1', { page: SHOP, maxBytes: 100 });
  expect(calls.map(({ url }) => url)).toEqual(['shop.example/redirect', 'cdn.example/x?y=1']);
  expect(calls[0]?.headers).toMatchObject({ 'sec-fetch-site': 'same-origin' });
  expect(calls[1]?.headers).toMatchObject({ 'sec-fetch-site': 'cross-site', origin: 'http://shop.example' });
  expect(calls[1]?.headers).not.toHaveProperty('authorization');
});

test('a body is read up to a limit, packed or not', async () => {
  const gateway = await open(SHOP, NAMES);
  const read = async (path: string): Promise<string> => {
    const { body, isTooLong } = await gateway.get(`http://shop.example${path}`, { page: SHOP, maxBytes: 1_000 });
    return body.byteLength > 100 ? `${body.byteLength} ${isTooLong}` : Buffer.from(body).toString();
  };
  expect(await read('/gzip')).toBe('packed');
  expect(await read('/bomb')).toBe('1000 true');
  expect(await read('/endless')).toBe('1000 true');
  await expect(read('/broken')).rejects.toThrow(/incorrect header/);
});

test('https is checked for its name at the pinned address', async () => {
  const secure = await serve(
    createTlsServer(selfSigned(), (request, response) => response.end(`secure ${request.headers.host}`)),
  );
  const world = fakeWorld({ names: NAMES, port: secure.port });
  const gateway = await openGateway({ page: SHOP, world });
  opened.push(gateway);
  const get = () => gateway.get('https://cdn.example/x', { page: SHOP, maxBytes: 100 });
  await expect(get()).rejects.toThrow(/self-signed certificate/);
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  expect(Buffer.from((await get()).body).toString()).toBe('secure cdn.example');
  vi.unstubAllEnvs();
  expect(world.connected).toEqual([`${PUBLIC_6}:443`, `${PUBLIC_6}:443`]);
  await secure.close();
});

test('the proxy closes connections that do not speak SOCKS', async () => {
  const gateway = await open(SHOP, NAMES);
  const garbage = [
    'GET / HTTP/1.1\r\nhost: x\r\n\r\n',
    '\u0005',
    '\u0005\u0001\u0000\u0005\u0001\u0000\u0009',
    '\u0004\u0001\u0000\u0050',
    '\u0005\u0000\u0005\u0002\u0000\u0001\u007f\u0000\u0000\u0001\u0000\u0050',
    `\u0005\u0001\u0000\u0005\u0001\u0000\u0003\u0000\u0000\u0050`,
    `\u0005\u0001\u0000\u0005\u0001\u0000\u0003\u0003a b\u0000\u0050`,
  ];
  for (const text of garbage) {
    const socket = connect(gateway.port, '127.0.0.1');
    socket.end(Buffer.from(text, 'latin1'));
    await new Promise((resolve) => socket.on('error', resolve).on('close', resolve).resume());
  }
  expect([calls, gateway.world.connected]).toEqual([[], []]);
  expect(await askSocks(gateway.port, new URL('http://shop.example/'))).toBe(0);
});

/** Asks the proxy for a connection as a browser does. Returns its reply. */
async function askSocks(proxy: number, { hostname, port: given, protocol }: URL): Promise<number> {
  const socket: Socket = connect(proxy, '127.0.0.1');
  const wanted = Number(given) || (protocol === 'https:' ? 443 : 80);
  const host = Buffer.from(hostname.replace(/^\[|\]$/g, ''));
  const end = Buffer.from([wanted >> 8, wanted & 255]);
  socket.write(Buffer.concat([Buffer.from([5, 1, 0, 5, 1, 0, 3, host.length]), host, end]));
  let reply = Buffer.alloc(0);
  for await (const chunk of socket) {
    reply = Buffer.concat([reply, chunk as Buffer]);
    if (reply.length >= 4) break;
  }
  socket.destroy();
  return reply[3] ?? -1;
}
