// What a page can do to the machine that examines it. The page is a stranger's, at a public address of an Internet that the
// test has made; the services that must not be called are real, and on this machine.
import { expect, test } from '@playwright/test';
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createTcpServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { examineByHttp, examineInBrowser, type Examination } from '../../../src/cli/doctor/examine.ts';
import { createOperatorConsole } from '../../../src/operator/console/createOperatorConsole.ts';
import { serve } from '../../../src/sandbox/startNetwork.ts';
import { fakeRelay } from '../../../src/testing/fakeRelay.ts';
import { find, findLightest } from '../../browsers.mjs';
import { poll } from '../drivers/poll.ts';
import { fakeWorld, PUBLIC } from '../../cli/doctor/fakeWorld.ts';

type Handle = (url: URL, request: Request) => Response | Promise<Response> | undefined;

let server: Awaited<ReturnType<typeof serve>>;
let port: number;
/** Responds for every host of the Internet. */
let stranger: Handle;
/** A service of this machine that is not on HTTP, and listens to UDP as well: its calls. */
let canaryCalls: string[];
let canary: Server;
let canaryUdp: UdpSocket;
let canaryPort: number;

test.beforeAll(async () => {
  server = await serve((request) => stranger(new URL(request.url), request) ?? new Response('', { status: 404 }), {
    port: 0,
  });
  port = Number(new URL(server.url).port);
  canary = createTcpServer((socket) => {
    canaryCalls.push('connection');
    socket.on('data', (data) => canaryCalls.push(data.toString().split('\r\n')[0] ?? '')).on('error', () => undefined);
    socket.end(
      'HTTP/1.1 200 OK\r\nconnection: close\r\naccess-control-allow-origin: *\r\ncontent-length: 15\r\n\r\n{"status":"ok"}',
    );
  });
  await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve));
  canaryPort = (canary.address() as AddressInfo).port;
  canaryUdp = createSocket('udp4');
  canaryUdp.on('message', () => canaryCalls.push('datagram'));
  await new Promise<void>((resolve) => canaryUdp.bind(canaryPort, '127.0.0.1', resolve));
});
test.beforeEach(() => void (canaryCalls = []));
test.afterAll(async () => {
  await server?.close();
  canary?.close();
  canaryUdp?.close();
});

const NAMES = { 'shop.example': [PUBLIC], 'cdn.example': [PUBLIC], 'rebound.example': ['127.0.0.1'] };
const ENV = { PATH: process.env['PATH'], HOME: process.env['HOME'] };

function browser(kind: 'light' | 'whole' = 'light'): Parameters<typeof examineInBrowser>[0] {
  const path = (kind === 'light' ? findLightest() : find('chromium'))?.path ?? '';
  return { path, isSandboxed: process.getuid?.() !== 0, env: ENV };
}

/** Examines a page of the stranger. */
function examine(
  page: string,
  kind?: 'light' | 'whole',
  names: Parameters<typeof fakeWorld>[0]['names'] = NAMES,
): Promise<Examination> {
  return examineInBrowser(browser(kind), { page, world: fakeWorld({ names, port }) });
}

function html(body: string, headers: Record<string, string> = {}): Response {
  const page = `<!doctype html><html><head><title>Thank you</title><link rel="icon" href="data:,"></head><body>${body}</body></html>`;
  return new Response(page, { headers: { 'content-type': 'text/html', ...headers } });
}

function script(text: string): Response {
  return new Response(text, { headers: { 'content-type': 'text/javascript' } });
}

const textOf = ({ findings }: Examination, title: string): string =>
  findings
    .filter((one) => one.title === title)
    .map(({ text }) => text)
    .join('\n');

for (const kind of ['light', 'whole'] as const)
  test(`a public page calls no service of this machine, whatever it tries (${kind === 'light' ? 'headless shell' : 'Chromium'})`, async () => {
    const targets = ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '0.0.0.0', 'x.localhost', 'rebound.example'].map(
      (host) => `${host}:${canaryPort}`,
    );
    const tried: unknown = expect.arrayContaining([
      '/',
      '/redirect/offerlet.js',
      '/redirect/fetch',
      '/redirect/frame',
      '/worker.js',
    ]);
    const reached = new Set<string>();
    stranger = async ({ pathname }) => {
      reached.add(pathname);
      if (pathname === '/sw.js')
        return script(`addEventListener('install', () => ${JSON.stringify(targets)}.forEach((host) => fetch('http://' + host + '/sw', { mode: 'no-cors' }).catch(() => 0)));
          addEventListener('fetch', (event) => event.respondWith(fetch('http://127.0.0.1:${canaryPort}/swfetch', { mode: 'no-cors' })))`);
      if (pathname === '/worker.js')
        return script(`fetch('http://127.0.0.1:${canaryPort}/worker', { mode: 'no-cors' }).catch(() => 0)`);
      // The doctor waits for the script; by then the page has tried the rest.
      if (pathname === '/redirect/offerlet.js') await poll(() => [...reached]).toEqual(tried);
      if (pathname.startsWith('/redirect'))
        return new Response('', { status: 302, headers: { location: `http://127.0.0.1:${canaryPort}${pathname}` } });
      if (pathname !== '/') return new Response('', { status: 404 });
      return html(`
        <script async src="http://cdn.example/redirect/offerlet.js" data-relay="http://127.0.0.1:${canaryPort}/offers" data-view="THANK_YOU" data-display-mode="OVERLAY"></script>
        <link rel="preconnect" href="http://127.0.0.1:${canaryPort}"><link rel="dns-prefetch" href="http://127.0.0.1:${canaryPort}"><link rel="prefetch" href="http://127.0.0.1:${canaryPort}/prefetch">
        <link rel="stylesheet" href="http://127.0.0.1:${canaryPort}/css"><link rel="manifest" href="http://127.0.0.1:${canaryPort}/manifest">
        <form method="post" action="http://127.0.0.1:${canaryPort}/form" target="frame"><input name="x"></form><iframe name="frame"></iframe>
        <iframe src="/redirect/frame"></iframe><iframe sandbox="allow-scripts" srcdoc="<img src='http://127.0.0.1:${canaryPort}/srcdoc'>"></iframe>
        <object data="http://127.0.0.1:${canaryPort}/object"></object><video src="http://127.0.0.1:${canaryPort}/video" autoplay></video>
        <script>
          for (const host of ${JSON.stringify(targets)}) {
            fetch('http://' + host + '/fetch', { mode: 'no-cors' }).catch(() => 0);
            fetch('http://' + host + '/post', { method: 'POST', mode: 'no-cors', body: 'x' }).catch(() => 0);
            new Image().src = 'http://' + host + '/image';
            try { new WebSocket('ws://' + host + '/socket') } catch {}
            try { new EventSource('http://' + host + '/events') } catch {}
            navigator.sendBeacon('http://' + host + '/beacon', 'x');
            document.head.append(Object.assign(document.createElement('script'), { src: 'http://' + host + '/script' }));
            window.open('http://' + host + '/popup');
            window.open('http://' + host + '/popup', '_blank', 'noopener');
          }
          fetch('/redirect/fetch').catch(() => 0);
          document.forms[0].submit();
          navigator.serviceWorker?.register('/sw.js').catch(() => 0);
          new Worker('/worker.js');
          try {
            const peer = new RTCPeerConnection({ iceServers: [
              { urls: 'stun:127.0.0.1:${canaryPort}' },
              { urls: ['turn:127.0.0.1:${canaryPort}?transport=udp', 'turn:127.0.0.1:${canaryPort}?transport=tcp'], username: 'a', credential: 'b' },
            ] });
            peer.createDataChannel('x');
            peer.createOffer().then((offer) => peer.setLocalDescription(offer));
            peer.addIceCandidate({ candidate: 'candidate:1 1 udp 2122260223 127.0.0.1 ${canaryPort} typ host', sdpMid: '0' }).catch(() => 0);
          } catch {}
        </script>
        <iframe srcdoc="<a download=x href=http://127.0.0.1:${canaryPort}/download>x</a><script>document.querySelector('a').click()</script>"></iframe>`);
    };
    const found = await examine('http://shop.example/', kind);
    expect(canaryCalls).toEqual([]);
    expect([...reached]).toEqual(tried);
    expect(textOf(found, 'Local network')).toContain('Nothing was connected.');
    expect(textOf(found, 'Relay')).toContain(
      `http://127.0.0.1:${canaryPort}/offers/health was not requested: 127.0.0.1 is on this machine`,
    );
    expect(textOf(found, 'Script file')).toContain('is on this machine or in its network, and the page is not');
  });

test('a page that leads to this machine, at once or later, is examined no further', async () => {
  stranger = ({ pathname }) => {
    if (pathname === '/redirect')
      return new Response('', { status: 302, headers: { location: `http://127.0.0.1:${canaryPort}/` } });
    if (pathname === '/rebound')
      return new Response('', { status: 302, headers: { location: `http://rebound.example:${canaryPort}/` } });
    return html(`<script>setTimeout(() => location.assign('http://127.0.0.1:${canaryPort}/later'), 300)</script>`);
  };
  const paths = ['/redirect', '/rebound', '/later'];
  const found = await Promise.all(paths.map((path) => examine(`http://shop.example${path}`)));
  expect(found.map(({ findings }) => findings.some(({ title }) => title === 'Local network'))).toEqual([
    true,
    true,
    true,
  ]);
  expect(canaryCalls).toEqual([]);
});

test('by HTTP alone, redirects are not followed, and nothing on this machine is called', async () => {
  stranger = ({ pathname, hostname }) => {
    if (pathname === '/redirect')
      return new Response('', { status: 302, headers: { location: `http://127.0.0.1:${canaryPort}/` } });
    if (pathname.endsWith('/health'))
      return new Response('', { status: 307, headers: { location: `http://127.0.0.1:${canaryPort}/health` } });
    if (hostname === 'cdn.example')
      return new Response('', { status: 301, headers: { location: `http://127.0.0.1:${canaryPort}/offerlet.js` } });
    const src =
      pathname === '/direct' ? `http://127.0.0.1:${canaryPort}/offerlet.js` : 'http://cdn.example/offerlet.js';
    const relay = pathname === '/direct' ? `http://127.0.0.1:${canaryPort}/offers` : '/offers';
    return html(`<script src="${src}" data-relay="${relay}"></script>`);
  };
  const examined = (path: string): Promise<Examination> =>
    examineByHttp({ page: `http://shop.example${path}`, world: fakeWorld({ names: NAMES, port }) });
  expect(textOf(await examined('/redirect'), 'Page')).toContain(`leads to http://127.0.0.1:${canaryPort}/`);
  const moved = await examined('/moved');
  expect(textOf(moved, 'Script file')).toContain('http://cdn.example/offerlet.js redirects');
  expect(textOf(moved, 'Relay')).toContain('http://shop.example/offers/health redirects (307)');
  const direct = await examined('/direct');
  expect(textOf(direct, 'Script file')).toContain('is on this machine');
  expect(textOf(direct, 'Relay')).toContain('was not requested');
  expect(canaryCalls).toEqual([]);
});

test("the operators' console calls the network for no page, not even for one of this machine", async () => {
  const calls: string[] = [];
  const operators = createOperatorConsole({
    networkUrl: 'https://channel.example',
    apiKey: 'adnet_sk_test_CANARYCANARYCANARYCANARY',
    fetch: (url) => {
      calls.push(url);
      return Promise.resolve(Response.json({ name: 'Demo', data: [] }));
    },
  });
  const seen: string[] = [];
  const console = await serve(
    (request, { ip }) => {
      seen.push(request.url);
      return operators(request, { ip });
    },
    { port: 0 },
  );
  try {
    stranger = ({ pathname }) => {
      if (pathname.endsWith('/health'))
        return new Response('', { status: 302, headers: { location: `${console.url}/api/session` } });
      const relay = pathname === '/redirect' ? '/offers' : `${console.url}/api/session?`;
      return html(`<script src="${console.url}/api/session?/offerlet.js" data-relay="${relay}" data-view="THANK_YOU" data-display-mode="OVERLAY"></script>
        <script src="${console.url}/api/publishers?query=x#/offerlet.js"></script>
        <img src="${console.url}/api/exclusions"><script>fetch('${console.url}/api/categories', { mode: 'no-cors' }).catch(() => 0)</script>`);
    };
    const paths = ['/', '/redirect'];
    await Promise.all(
      paths.flatMap((path) => [
        examine(`http://shop.example${path}`),
        examineByHttp({ page: `http://shop.example${path}`, world: fakeWorld({ names: NAMES, port }) }),
      ]),
    );
    expect(seen).toEqual([]);
    // The page is on this machine now, as a shop in development is. Calls arrive, with the page's origin, and are refused.
    await Promise.all(
      paths.flatMap((path) => [
        examineInBrowser(browser(), { page: server.url + path }),
        examineByHttp({ page: server.url + path }),
      ]),
    );
    expect(seen.length).toBeGreaterThan(0);
    expect(calls).toEqual([]);
  } finally {
    await console.close();
  }
});

test('a page that never ends is examined in bounded time and memory', async () => {
  const long = 'x'.repeat(60_000_000);
  stranger = ({ pathname }) => {
    const endless = (type: string): Response =>
      new Response(new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536).fill(32)) }), {
        headers: { 'content-type': type },
      });
    if (pathname === '/offerlet.js') return endless('text/javascript');
    if (pathname === '/offers/health') return endless('application/json');
    if (pathname === '/offers/recommendations') return endless('application/json');
    return html(`<script async src="/offerlet.js" data-relay="/offers"></script><script>
      const long = 'x'.repeat(60_000_000);
      document.title = long;
      document.body.id = long;
      console.error(long);
      console.error({ long }, [long]);
      setInterval(() => console.error(long), 50);
      setInterval(() => { throw new Error(long) }, 50);
      document.dispatchEvent(new CustomEvent('offerlet', { detail: { type: 'outcome', message: long, hint: long } }));
      setInterval(() => { for (let i = 0; i < 1000; i++) document.dispatchEvent(new CustomEvent('offerlet', { detail: { type: long } })) }, 50);
      fetch('/offers/recommendations', { method: 'POST', body: JSON.stringify({ placement_details: {} }) }).then((response) => response.text()).catch(() => 0);
      JSON.stringify = () => long;
      String.prototype.slice = () => long;
      window.offerlet = { explain: () => ({ slice: () => ({ map: () => long }) }) };
    </script>`);
  };
  expect(long.length).toBe(60_000_000);
  const before = process.memoryUsage().rss;
  const found = await examine('http://shop.example/');
  expect(process.memoryUsage().rss - before).toBeLessThan(400_000_000);
  expect(JSON.stringify(found).length).toBeLessThan(60_000);
});

test('a page that keeps the browser busy, or opens endless dialogs, is one finding', async () => {
  stranger = ({ pathname }) =>
    html(
      pathname === '/busy'
        ? '<script>onbeforeunload = () => "stay"; setTimeout(() => { for (;;); }, 200)</script>'
        : '<script>onbeforeunload = () => "stay"; setInterval(() => { alert(1); confirm(2); prompt(3); print() }, 1)</script>',
    );
  const [busy, asking] = await Promise.all([examine('http://shop.example/busy'), examine('http://shop.example/asks')]);
  expect(busy.findings).toEqual([
    expect.objectContaining({
      state: 'bad',
      title: 'Page',
      text: expect.stringContaining('it does not respond') as unknown,
    }),
  ]);
  expect(textOf(asking, 'Script')).toContain('is not on this page');
});

test('a page starts no other program', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'offerlet-programs-'));
  try {
    const program = `#!/bin/sh\necho "$0 $@" >> ${folder}/started\n`;
    for (const name of ['xdg-open', 'gio', 'sensible-browser'])
      writeFileSync(join(folder, name), program, { mode: 0o755 });
    stranger = () =>
      html(`<script>for (const url of ['mailto:a@b', 'news:x', 'ssh://x', 'file:///etc/passwd', 'chrome://version']) {
        const frame = document.createElement('iframe');
        frame.src = url;
        document.body.append(frame);
        try { location = url } catch {}
      }</script>`);
    const env = { ...ENV, PATH: `${folder}${delimiter}${ENV.PATH}` };
    const world = fakeWorld({ names: NAMES, port });
    await examineInBrowser({ ...browser('whole'), env }, { page: 'http://shop.example/', world });
    expect(readdirSync(folder)).not.toContain('started');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the doctor sees what happened, not what the page says about it', async () => {
  stranger = ({ pathname }) =>
    pathname === '/'
      ? html(`<img name="querySelectorAll"><img name="querySelector"><form name="addEventListener"></form><script>
          Array.prototype.map = Array.prototype.filter = JSON.stringify = Array.from = () => { throw new Error('mine') };
          window.offerletDoctor = { hasOutcome: () => true, read: () => '{"reported":"x","scripts":7}' };
          Document.prototype.querySelectorAll = () => [];
          window.offerlet = { explain: () => { throw new Error('mine') } };
        </script><script src="/offerlet.js" data-relay="/offers"></script>`)
      : pathname === '/offerlet.js'
        ? script('// nothing')
        : undefined;
  const found = await examine('http://shop.example/');
  expect(textOf(found, 'Script')).toBe('One script tag: http://shop.example/offerlet.js');
  expect(textOf(found, 'Outcome')).toBe('None, because of "Relay".');
});

test('the script that the browser loaded is hashed, not another copy', async () => {
  let loads = 0;
  const relay = fakeRelay({ sandbox: false });
  stranger = ({ pathname }, request) => {
    if (pathname.startsWith('/offers/')) return relay(request);
    if (pathname === '/offerlet.js') return script(loads++ === 0 ? '\ufeffwindow.first = "ü"' : 'window.second = 1');
    return html(
      '<script src="/offerlet.js" integrity="sha384-jBPvGlEydcWJDcTGPTnEfMfdwZ0eDHfLcZGmT+QV1DHcALLd0GaBxgnkQEIP2DL6" data-relay="/offers"></script>',
    );
  };
  const found = await examine('http://shop.example/');
  expect(loads).toBe(1);
  expect(textOf(found, 'Integrity')).toMatch(/not the one that integrity names.*write integrity="sha384-/);
});
