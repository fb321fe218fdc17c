import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { makeFolder } from '../fixtures/makeFolder.ts';
import { serve } from '../fixtures/serve.ts';
import { hasNamespaces } from '../lock/contenders.ts';
import { buildCommand, type Command } from './command.ts';
import { event, KEY } from './scriptedNetwork.ts';

let command: Command;
beforeAll(async () => void (command = await buildCommand()));
afterAll(() => command.remove());

test(`killed with -9${hasNamespaces ? ' in a container' : ''}, it knows what was accepted, and counts what was on its way when it is sent again`, async () => {
  // The network stores all that it gets, and responds while it does not hang.
  const stored: unknown[] = [];
  let hangs = false;
  const network = await serve((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      if (request.url === '/health') return void response.end('{"status":"ok","environment":"staging"}');
      const { events } = JSON.parse(text) as { events: unknown[] };
      stored.push(...events);
      const results = events.map((_, index) => ({ index, success: true }));
      if (!hangs) response.writeHead(202).end(JSON.stringify({ results, accepted: events.length, failed: 0 }));
    });
  });
  onTestFinished(() => network.close());
  const args = ['relay', '--network', network.url, '--port', '0', '--metrics-port', '0', '--data', makeFolder()];
  const start = () => {
    const running = command.start([...args, '--json'], { env: { OFFERLET_API_KEY: KEY }, isContained: hasNamespaces });
    onTestFinished(() => running.kill('SIGKILL'));
    return running;
  };
  const post = async (url: Promise<string>, body: object): Promise<number> => {
    const headers = { 'content-type': 'application/json' };
    return (await fetch(`${await url}/events/batch`, { method: 'POST', headers, body: JSON.stringify(body) })).status;
  };
  const [known, ...lost] = Array.from({ length: 6 }, () => ({ events: [event(), event(), event()] }));

  const first = start();
  expect(await post(first.url, known ?? {})).toBe(202);
  hangs = true;
  const waiting = lost.map((batch) => post(first.url, batch).catch(() => 0));
  await expect.poll(() => stored.length).toBe(18);
  first.kill('SIGKILL');
  await Promise.all([first.ended, ...waiting]);

  hangs = false;
  const second = start();
  for (const batch of [known, ...lost, ...lost, { events: [event()] }])
    expect(await post(second.url, batch ?? {})).toBe(202);
  expect(stored).toHaveLength(18 + 15 + 1);
  const { metricsUrl } = JSON.parse(second.line()) as { metricsUrl: string };
  const metrics = await (await fetch(metricsUrl)).text();
  expect(metrics).toMatch(/^offerlet_relay_possible_duplicates_total 15$/m);
});
