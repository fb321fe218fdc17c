import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { Listening } from '../../../src/cli/listen.ts';
import { createNetwork, type Network } from '../../../src/network.ts';
import { serve } from '../../../src/sandbox/startNetwork.ts';
import { buildCommand, type Command } from '../../relay/command.ts';
import { runCommand, type Ran, type RunOptions } from '../command/runCommand.ts';

/** The real network, the operators' command as a process, and a folder for its files. */
export interface World {
  readonly network: Network;
  readonly url: string;
  readonly key: string;
  readonly keys: Readonly<Record<string, string>>;
  readonly publisher: string;
  readonly folder: string;
  readonly file: string;
  /** Runs a command of the operators; in a line, words in quotes are one. */
  run(args: string | readonly string[], options?: Partial<RunOptions>): Promise<Ran>;
  control(method: 'POST' | 'PUT', path: string, body: unknown): Promise<unknown>;
  /** Adds activity to one hour. */
  activity(rows: readonly { readonly day: string; readonly [column: string]: string | number | null }[]): Promise<void>;
  /** Reads the Reporting API without any code of the package, page by page. */
  raw(query: Readonly<Record<string, string>>): Promise<RawRow[]>;
}

export type RawRow = Readonly<Record<string, string | number | null>>;

/** Starts the network and builds the command, for all tests of a file. */
export function useWatchWorld(seed: 'demo' | 'empty' = 'demo'): World {
  let network: Network;
  let server: Listening;
  let command: Command;
  let folder = '';
  beforeAll(async () => {
    [network, command] = await Promise.all([
      createNetwork({ memory: true, seed, log: () => undefined }),
      buildCommand('src/operator/cli.ts'),
    ]);
    server = await serve((request, from) => network.fetch(request, from), { port: 0 });
    folder = mkdtempSync(join(tmpdir(), 'offerlet-watch-'));
  }, 180_000);
  afterAll(async () => {
    await server.close();
    await network.close();
    await command.remove();
    rmSync(folder, { recursive: true, force: true });
  });
  const world: World = {
    get network() {
      return network;
    },
    get url() {
      return server.url;
    },
    get keys() {
      return { ...network.describe().keys };
    },
    get key() {
      return world.keys['management'] ?? '';
    },
    get publisher() {
      return network.describe().publisher.publisher_remote_id;
    },
    get folder() {
      return folder;
    },
    get file() {
      return command.file;
    },
    run(args, { env, ...rest } = {}) {
      const words = typeof args === 'string' ? wordsOf(args) : args;
      return runCommand(words, {
        file: command.file,
        env: { OFFERLET_NETWORK: server.url, OFFERLET_API_KEY: world.key, ...env },
        ...rest,
      });
    },
    async control(method, path, body) {
      const init: RequestInit = { method, body: JSON.stringify(body) };
      const response = await fetch(`${server.url}/sandbox/${path}`, init);
      const text = await response.text();
      if (!response.ok) throw new Error(text);
      return text === '' ? undefined : JSON.parse(text);
    },
    async activity(rows) {
      await world.control('POST', 'activity', {
        rows: rows.map(({ day, ...row }) => ({
          hour: `${day}T12:00:00Z`,
          publisher_remote_id: world.publisher,
          page_type: 'THANK_YOU',
          widget_type: 'INLINE',
          widget_id: null,
          ...row,
        })),
      });
    },
    async raw(query) {
      const rows: RawRow[] = [];
      for (;;) {
        const params = new URLSearchParams({ ...query, limit: '250', offset: String(rows.length) });
        const response = await fetch(`${server.url}/adnet/reporting/v2/report/?${params}`, {
          headers: { 'x-api-key': world.key },
        });
        if (!response.ok) throw new Error(await response.text());
        const page = (await response.json()) as { data: RawRow[]; pagination: { has_more: boolean } };
        rows.push(...page.data);
        if (!page.pagination.has_more) return rows;
      }
    },
  };
  return world;
}

function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

/** What a webhook received. */
export interface Received {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

/** A receiver of webhooks with scripted responses. */
export async function openReceiver(): Promise<{
  readonly url: string;
  readonly received: Received[];
  /** The statuses of the next responses; 200 after them. */
  readonly next: { status: number; headers?: Record<string, string> }[];
  close(): Promise<void>;
}> {
  const received: Received[] = [];
  const next: { status: number; headers?: Record<string, string> }[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      received.push({ headers: request.headers as Record<string, string>, body });
      const { status, headers } = next.shift() ?? { status: 200 };
      response.writeHead(status, headers).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    next,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
