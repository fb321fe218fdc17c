// The processes that `npm run bench -- relay` measures, each on its own port:
// node server.mjs ROLE NETWORK MODULE DATA
import { randomUUID } from 'node:crypto';
import { Agent, createServer, request } from 'node:http';
import { pathToFileURL } from 'node:url';

const [role, network, module, data] = process.argv.slice(2);
const KEY = 'adnet_rk_test_0123456789';
const SESSION = '6f1c2f0e-5b0e-4c60-9d53-2f6f6c1d7a10';
const ANSWER = JSON.stringify(answer());

process.on('disconnect', () => process.exit(0));
if (role === 'day') {
  process.send(await measureDay(), () => process.disconnect());
} else {
  const roles = { network: startNetwork, bare: startBare };
  const server = await (roles[role] ?? startRelay)();
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1', 2_048, () => process.send({ port: server.address().port }));
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send(user + system);
  });
}

/** The network: reads the whole request, then responds at once. */
async function startNetwork() {
  return createServer((incoming, outgoing) => {
    const chunks = [];
    incoming.on('data', (chunk) => chunks.push(chunk));
    incoming.on('end', () => {
      const isBatch = incoming.url === '/events/batch';
      const body = isBatch ? results(JSON.parse(Buffer.concat(chunks).toString()).events.length) : newSession();
      outgoing.writeHead(isBatch ? 202 : 200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      });
      outgoing.end(body);
    });
  });
}

/** Each order has its own session. */
function newSession() {
  return ANSWER.replace(SESSION, randomUUID());
}

const received = ({ headers }) => ({
  'content-type': 'application/json',
  'content-length': headers['content-length'],
});
const sent = (incoming) => ({ ...received(incoming), 'x-api-key': KEY, version: '1.0.0' });

/** What the relay is held against: the same bytes there and back, the key added, nothing else done. */
async function startBare() {
  const { hostname, port } = new URL(network);
  const agent = new Agent({ keepAlive: true });
  return createServer((incoming, outgoing) => {
    const upstream = request(
      { hostname, port, path: incoming.url, method: 'POST', headers: sent(incoming), agent },
      (answer) => {
        outgoing.writeHead(answer.statusCode, received(answer));
        answer.pipe(outgoing);
      },
    );
    upstream.on('error', () => outgoing.writeHead(502).end());
    incoming.pipe(upstream);
  });
}

/** The relay that remembers accepted events in memory, or in a file with a ledger. */
async function startRelay() {
  const { createRelay, openDedupeFile, toNode } = await import(pathToFileURL(module).href);
  const dedupe = role === 'file' ? await openDedupeFile(data) : undefined;
  const options = { apiKey: KEY, version: '1.0.0', networkUrl: network, rateLimit: false, dedupe };
  return createServer(toNode(createRelay(options)));
}

/** Keys of a number, spread like hashes. */
function keyOf(at) {
  const words = [1, 2, 3, 4].map((word) => Math.imul(at + 1, 0x9e_37_79_b1 * word) >>> 0);
  return words.map((word) => word.toString(16).padStart(8, '0')).join('');
}

function held() {
  // Twice: the first frees what only weak references and finalizers still held.
  for (let time = 0; time < 2; time++) globalThis.gc();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return { heapUsed, arrayBuffers };
}

/** A day's file of a million events in batches of ten, its start, and how long writing it anew takes. */
async function measureDay() {
  const { openDedupeFile } = await import(pathToFileURL(module).href);
  const { readdirSync, statSync } = await import('node:fs');
  const size = () =>
    (readdirSync(data).reduce((sum, name) => sum + statSync(`${data}/${name}`).size, 0) / 1e6).toFixed(1);
  const store = await openDedupeFile(data);
  for (let at = 0; at < 1_000_000; at += 10) {
    const keys = Array.from({ length: 10 }, (_, next) => keyOf(at + next));
    const hour = String(Math.floor(at / 41_667)).padStart(2, '0');
    const cells = keys.map((_, next) => `2026-11-23T${hour} BRAND_${'DC'[next % 2]} THANK_YOU INLINE `);
    await store.claim(keys);
    const done = store.accept(keys, `10.0.${(at >> 8) & 255}.${at & 255}`, cells);
    if (at % 1_000 === 0) await done;
  }
  await store.close();
  const before = held();
  const started = performance.now();
  const again = await openDedupeFile(data);
  const ms = Math.round(performance.now() - started);
  const text = `  a day's file of a million events, ${size()} MB: ${difference(before)}, read in ${ms} ms`;
  await again.close();
  return text;
}

function difference(before) {
  const after = held();
  const [heap, arrays] = ['heapUsed', 'arrayBuffers'].map((name) => ((after[name] - before[name]) / 1e6).toFixed(1));
  return `${heap} MB of heap and ${arrays} MB of arrays`;
}

function results(count) {
  return JSON.stringify({
    results: Array.from({ length: count }, (_, index) => ({ index, success: true })),
    accepted: count,
    failed: 0,
  });
}

/** About what a network returns for three offers. */
function answer() {
  const offer = (id) => ({
    advertiser: { id: `advertiser-${id}`, name: 'Northwind Coffee', logo_url: 'https://cdn.example/logo.png' },
    offer: {
      id,
      heading: 'A month of coffee on us',
      subheading: 'Freshly roasted, at your door in two days. '.repeat(4),
      target_url: `https://partner.example/click/${id}`,
      cta_details: { accept_copy: 'Yes, please', decline_copy: 'No, thanks' },
    },
  });
  const ids = ['o1', 'o2', 'o3'];
  return {
    session_id: SESSION,
    recommendations: Object.fromEntries(ids.map((id) => [id, offer(id)])),
    recommendation_groups: [
      {
        id: 'group_0',
        items: ids.map((id, at) => ({
          insertion_order: at,
          insertion_id: `i-${id}`,
          offer_id: id,
          advertiser_id: `advertiser-${id}`,
        })),
      },
    ],
    footer: { privacy_policy: { copy: 'Privacy', target_url: 'https://partner.example/privacy' } },
  };
}
