// The processes that `npm run bench -- relay` measures, each on its own port:
// node relay-server.mjs ROLE NETWORK RELAY_MODULE
import { Agent, createServer, request } from 'node:http';
import { pathToFileURL } from 'node:url';

const [role, network, relayModule] = process.argv.slice(2);
const KEY = 'adnet_rk_test_0123456789';
const ANSWER = JSON.stringify(answer());

const server = await { network: startNetwork, direct: startNetwork, bare: startBare, relay: startRelay }[role]();
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', 2_048, () => process.send({ port: server.address().port }));
process.on('message', (wanted) => {
  const { user, system } = process.cpuUsage();
  // Twice: the first frees what only weak references and finalizers still held.
  if (wanted === 'memory') for (let time = 0; time < 2; time++) globalThis.gc();
  const { rss, heapUsed } = process.memoryUsage();
  process.send({ rss, heapUsed, cpu: user + system });
});
process.on('disconnect', () => process.exit(0));

/** The network: reads the whole request, then responds at once. */
async function startNetwork() {
  return createServer((incoming, outgoing) => {
    const chunks = [];
    incoming.on('data', (chunk) => chunks.push(chunk));
    incoming.on('end', () => {
      const isBatch = incoming.url === '/events/batch';
      // Held beside the pass-through, it must not parse what that does not.
      const count = isBatch && role !== 'direct' ? JSON.parse(Buffer.concat(chunks).toString()).events.length : 20;
      const body = isBatch ? results(count) : ANSWER;
      outgoing.writeHead(isBatch ? 202 : 200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      });
      outgoing.end(body);
    });
  });
}

/** What the relay is held against: the same bytes there and back, the key added, nothing else done. */
async function startBare() {
  const { hostname, port } = new URL(network);
  const agent = new Agent({ keepAlive: true });
  return createServer((incoming, outgoing) => {
    const headers = {
      'content-type': 'application/json',
      'x-api-key': KEY,
      version: '1.0.0',
      'content-length': incoming.headers['content-length'],
    };
    const upstream = request({ hostname, port, path: incoming.url, method: 'POST', headers, agent }, (answer) => {
      outgoing.writeHead(answer.statusCode, {
        'content-type': 'application/json',
        'content-length': answer.headers['content-length'],
      });
      answer.pipe(outgoing);
    });
    upstream.on('error', () => outgoing.writeHead(502).end());
    incoming.pipe(upstream);
  });
}

async function startRelay() {
  const { createRelay, toNode } = await import(pathToFileURL(relayModule).href);
  return createServer(toNode(createRelay({ apiKey: KEY, version: '1.0.0', networkUrl: network, rateLimit: false })));
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
    session_id: '6f1c2f0e-5b0e-4c60-9d53-2f6f6c1d7a10',
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
