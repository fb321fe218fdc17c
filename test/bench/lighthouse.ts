// npm run bench -- lighthouse [rounds]: what the public audits say of the demo's thank-you page, with offerlet and with a script that does nothing.
import { execFile } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { find } from '../browsers.mjs';
import { serve } from '../fixtures/serve.ts';
import { startSandbox } from '../line/drivers/sandbox.ts';
import { TRACKER, TRACKERS } from './arrival.ts';

/** It has 186 MB and needs a newer Node than the oldest that is tested here, so nothing but this installs both. */
const PACKAGES = ['node@22.23.3', 'lighthouse@13.5.0'];
const PAGES = ['thank-you page', 'busy page'] as const;
const TAGS = ['offerlet', 'an empty script'] as const;

/** What is read of a report. */
interface Report {
  readonly categories: { readonly performance: { readonly score: number } };
  readonly audits: Readonly<
    Record<'total-blocking-time' | 'largest-contentful-paint', { readonly numericValue: number }>
  > & {
    readonly 'long-tasks': {
      readonly details: { readonly items: readonly { readonly url: string; readonly duration: number }[] };
    };
  };
}

const FIGURES: Readonly<Record<string, (report: Report) => number>> = {
  score: ({ categories }) => categories.performance.score * 100,
  'blocking, ms': ({ audits }) => audits['total-blocking-time'].numericValue,
  'of it offerlet.js, ms': ({ audits }) => blockedBy('/offerlet.js', audits),
  'largest paint, ms': ({ audits }) => audits['largest-contentful-paint'].numericValue,
};

/** What HTTP Archive counts for each script of others: what its long tasks take above 50 ms, wherever they lie. */
function blockedBy(path: string, { 'long-tasks': { details } }: Report['audits']): number {
  const own = details.items.filter(({ url }) => URL.canParse(url) && new URL(url).pathname === path);
  return own.reduce((sum, { duration }) => sum + Math.max(0, duration - 50), 0);
}

/** Audits each page with each tag in turn, and prints the medians side by side. */
export async function run(args: string[]): Promise<void> {
  const rounds = Number(args[0] ?? 5);
  const sandbox = await startSandbox();
  const shop = await serve((request, response) => void pass(request, response, sandbox.shop));
  const found = new Map<string, number[]>();
  for (let round = 0; round < rounds; round++)
    for (const page of PAGES)
      for (const tag of TAGS) {
        const report = await audit(
          `${shop.url}/?desk=closed&page=${encodeURIComponent(page)}&tag=${encodeURIComponent(tag)}`,
        );
        for (const [figure, read] of Object.entries(FIGURES)) {
          const key = [page, tag, figure].join();
          found.set(key, [...(found.get(key) ?? []), read(report)]);
        }
      }
  await shop.close();
  await sandbox.stop();
  const row = (cells: readonly string[]): string =>
    cells.map((cell, at) => cell[at ? 'padStart' : 'padEnd'](at ? 25 : 28)).join('');
  for (const page of PAGES) {
    console.log(row([page, ...Object.keys(FIGURES)]));
    for (const tag of TAGS) {
      const cells = Object.keys(FIGURES).map((figure) => {
        const values = (found.get([page, tag, figure].join()) ?? []).toSorted((a, b) => a - b);
        return [values[values.length >> 1], values[0], values.at(-1)].map((value) => value?.toFixed()).join(' · ');
      });
      console.log(row([`  with ${tag}`, ...cells]));
    }
  }
  console.log(`Median · least · most of ${rounds} audits, as a phone on a slow line. ${PACKAGES.join(', ')}.`);
}

async function audit(url: string): Promise<Report> {
  const flags = [
    '--output=json',
    '--quiet',
    '--only-categories=performance',
    '--chrome-flags=--headless=new --no-sandbox',
  ];
  const options = { env: { ...process.env, CHROME_PATH: find('chromium')?.path }, maxBuffer: 1e8 };
  const args = ['--yes', ...PACKAGES.map((name) => `--package=${name}`), 'lighthouse', url, ...flags];
  return JSON.parse((await promisify(execFile)('npx', args, options)).stdout) as Report;
}

/** Passes a request on to the demo shop. The page says in its URL which script it wants, and how busy it is. */
async function pass(request: IncomingMessage, response: ServerResponse, shop: string): Promise<void> {
  const url = new URL(request.url ?? '/', shop);
  const body: Buffer[] = [];
  for await (const chunk of request) body.push(chunk as Buffer);
  if (url.pathname === '/tracker.js' || url.pathname === '/empty.js') {
    response.setHeader('content-type', 'text/javascript');
    return void response.end(url.pathname === '/empty.js' ? '' : TRACKER);
  }
  const { method = 'GET', headers } = request;
  const found = await fetch(url, {
    method,
    headers: { ...(headers as Record<string, string>), host: url.host, origin: url.origin },
    ...(method === 'POST' ? { body: Buffer.concat(body) } : {}),
  });
  const type = found.headers.get('content-type') ?? '';
  response.writeHead(found.status, { 'content-type': type });
  if (!type.startsWith('text/html')) return void response.end(Buffer.from(await found.arrayBuffer()));
  const html = await found.text();
  const tag = url.searchParams.get('tag');
  const tagged = tag === 'offerlet' ? html : html.replaceAll('/offerlet.js', '/empty.js');
  response.end(url.searchParams.get('page') === 'busy page' ? tagged.replace('</head>', `${TRACKERS}</head>`) : tagged);
}
