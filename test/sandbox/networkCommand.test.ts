import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { createNetwork } from '../../src/network.ts';
import { listen } from '../../src/program/listen.ts';
import { networkCommand } from '../../src/sandbox/networkCommand.ts';
import { ask } from '../network/testNetwork.ts';
import { posting } from '../fixtures/posting.ts';

afterEach(() => vi.restoreAllMocks());

/** Runs `offerlet network` in this process until `use` is done; returns what it printed. */
async function run(argv: readonly string[], use: (output: string) => Promise<void>): Promise<void> {
  let output = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    output += String(text);
    return true;
  });
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const stops: (() => void)[] = [];
  vi.spyOn(process, 'once').mockImplementation((name, listener) => {
    if (name === 'SIGTERM') stops.push(() => listener());
    return process;
  });
  const running = networkCommand.run({ argv: ['--memory', '--port', '0', ...argv], env: {} });
  await vi.waitFor(() => expect(stops).not.toEqual([]));
  try {
    await use(output);
  } finally {
    for (const stop of stops) stop();
    await running;
  }
}

test('offerlet network says who you are, what to export for a relay, and how to get the report', async () => {
  await run([], async (output) => {
    const [, url = ''] = /^Network +(\S+)/m.exec(output) ?? [];
    const [, integration = ''] = /^integration +(\S+)/m.exec(output) ?? [];
    const [, management = ''] = /^management +(\S+)/m.exec(output) ?? [];
    expect(output).toMatch(/^You are +Juniper & Co, publisher [0-9a-f-]{36}$/m);
    // The lines of docs/start, to be copied whole.
    expect(output.split('\n')).toEqual(
      expect.arrayContaining([`export OFFERLET_NETWORK=${url}`, `export OFFERLET_API_KEY=${integration}`]),
    );
    expect(output).toContain(`OFFERLET_NETWORK=${url} OFFERLET_API_KEY=${management} npx offerlet-operator report`);
    expect((await fetch(`${url}/`)).status).toBe(200);
  });
});

test('its integration gets three offers, and --json prints nothing more than before', async () => {
  await run(['--json'], async (output) => {
    expect(output.trimEnd().split('\n')).toHaveLength(1);
    expect(await offersOf(output)).toHaveLength(3);
  });
});

/** The offers of a network for a request with these headers. */
async function offersOf(output: string, headers: Record<string, string> = {}) {
  const { url, keys } = JSON.parse(output) as { url: string; keys: { integration: string } };
  const all = { 'x-api-key': keys.integration, version: '1.0.0', ...headers };
  const response = await fetch(`${url}/recommendations`, posting(ask(), all));
  const { recommendations } = (await response.json()) as {
    recommendations: Record<string, { advertiser: { logo_url: string } }>;
  };
  return Object.values(recommendations);
}

const logoOf = async (output: string, headers: Record<string, string>): Promise<string> =>
  (await offersOf(output, headers))[0]?.advertiser.logo_url ?? '';

test('behind a trusted proxy that ends TLS its URLs are https, and otherwise what a caller says changes nothing', async () => {
  const forwarded = { 'x-forwarded-proto': 'https' };
  await run(['--json', '--trusted-proxy', '127.0.0.0/8', '--metrics-port', '0'], async (output) => {
    expect(await logoOf(output, forwarded)).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/logos\//);
    for (const proto of ['http', 'https, http', 'javascript', ''])
      expect(await logoOf(output, { 'x-forwarded-proto': proto })).toMatch(/^http:\/\/127/);
    const { url, keys, metricsUrl } = JSON.parse(output) as {
      url: string;
      metricsUrl: string;
      keys: { integration: string };
    };
    const headers = { 'x-api-key': keys.integration, version: '1.0.0', 'content-type': 'application/json' };
    await fetch(`${url}/events/batch`, { method: 'POST', headers, body: '{"events":[{},{}]}' });
    const text = await (await fetch(metricsUrl)).text();
    expect(text).toContain(
      'offerlet_network_request_duration_seconds_count{route="/recommendations",method="POST",status="200"} 5\n',
    );
    expect(text).toContain('offerlet_network_events_refused_total 2\n');
    expect(text).toContain('offerlet_network_events_accepted_total 0\n');
    expect(text).toContain('offerlet_network_billing_due 0\n');
    expect(text).toMatch(/^process_cpu_seconds_total [\d.e-]+$/m);
    expect(text).not.toContain(keys.integration);
  });
  await run(['--json', '--trusted-proxy', '10.0.0.1'], async (output) => {
    expect(await logoOf(output, forwarded)).toMatch(/^http:\/\/127/);
  });
  await run(['--json', '--public-url', 'https://partner.example/'], async (output) => {
    expect(await logoOf(output, forwarded)).toMatch(/^https:\/\/partner\.example\/logos\//);
  });
});

test.each([
  ['--public-url', 'partner.example', /is not the URL of a network: "partner\.example"/],
  ['--trusted-proxy', '10.0.0.0/33', /is not an IP address or a network: "10\.0\.0\.0\/33"/],
  ['--trusted-proxy', 'proxy', /is not an IP address or a network: "proxy"/],
])('%s %s stops the start', async (flag, value, message) => {
  const started = networkCommand.run({ argv: ['--memory', '--port', '0', flag, value], env: {} });
  await expect(started).rejects.toThrow(message);
});

test('a port in use is reported before anything is stored, and after what a first start takes', async () => {
  const other = await listen((_, response) => response.end(), { port: 0 });
  const { port } = new URL(other.url);
  const print = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const data = join(tmpdir(), `offerlet-port-in-use-${process.pid}`);
  await expect(networkCommand.run({ argv: ['--data', data, '--port', port], env: {} })).rejects.toThrow(
    `Port ${port} is in use. Stop the other program, or use another port with --port.`,
  );
  await other.close();
  expect(existsSync(data)).toBe(false);
  expect(print.mock.calls.join('')).toBe(
    'Starting the network. The first start seeds 46 offers and 60 days of history; this takes a few seconds.\n',
  );
});

test('a network says what it prepares', async () => {
  const steps: string[] = [];
  const network = await createNetwork({ memory: true, log: () => undefined, onProgress: (text) => steps.push(text) });
  await network.close();
  expect(steps).toEqual([
    'Opening the database',
    ...steps.filter((text) => /^Seeding the history: \d+ %$/.test(text)),
    'Summing up the days of the history',
  ]);
  expect(steps).toContain('Seeding the history: 0 %');
});

test('while it starts, callers are told to try again', async () => {
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const free = await listen((_, response) => response.end(), { port: 0 });
  await free.close();
  const { port } = new URL(free.url);
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const url = `postgres://127.0.0.1:${(silent.address() as AddressInfo).port}/offers`;
  const started = networkCommand.run({ argv: ['--database-url', url, '--port', port], env: {} });
  started.catch(() => undefined); // asserted below
  const [connection] = (await once(silent, 'connection')) as [Socket];
  const response = await fetch(`${free.url}/recommendations`, { method: 'POST' });
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await response.json()).toHaveProperty('message', 'The network is starting.');
  silent.on('connection', (another) => another.destroy());
  connection.destroy();
  await expect(started).rejects.toThrow('cannot be used');
  silent.close();
  await expect(fetch(free.url)).rejects.toThrow();
});

test('a signal that comes with the first line stops it', async () => {
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const stops: (() => void)[] = [];
  vi.spyOn(process, 'once').mockImplementation((name, listener) => {
    if (name === 'SIGTERM') stops.push(() => listener());
    return process;
  });
  vi.spyOn(process.stdout, 'write').mockImplementation(() => {
    expect(stops).toHaveLength(1);
    stops[0]?.();
    return true;
  });
  await networkCommand.run({ argv: ['--memory', '--seed', 'empty', '--port', '0', '--json'], env: {} });
});
