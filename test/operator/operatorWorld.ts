import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { Network } from '../../src/network.ts';
import { commands } from '../../src/operator/commands.ts';
import { ofSuite } from '../fixtures/opened.ts';
import { serveTestNetwork } from '../network/testNetwork.ts';
import { buildCommand, type Command } from '../relay/command.ts';
import { runCommand, runProcess, type ProcessOptions, type Ran, type RunOptions } from '../fixtures/runCommand.ts';

type RawRow = Readonly<Record<string, string | number | null>>;

/** The real network, the operators' command, and a folder for its files, which is also the home of its account. */
export interface OperatorWorld {
  readonly network: Network;
  readonly url: string;
  readonly key: string;
  readonly keys: Readonly<Record<string, string>>;
  readonly publisher: string;
  readonly folder: string;
  /** Runs a command of the operators in this process; in a line, words in double quotes are one. */
  run(args: string | readonly string[], options?: RunOptions): Promise<Ran>;
  /** Runs it as a process. */
  runProcess(args: string | readonly string[], options?: Omit<ProcessOptions, 'file'>): Promise<Ran>;
  /** The file of the command, built for Node. */
  file(): Promise<string>;
  control(method: 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<unknown>;
  /** Adds activity to one hour. */
  activity(rows: readonly { readonly day: string; readonly [column: string]: string | number | null }[]): Promise<void>;
  /** Reads the Reporting API without any code of the package, page by page. */
  raw(query: Readonly<Record<string, string>>): Promise<RawRow[]>;
}

const today = (): string => new Date().toISOString().slice(0, 10);

/** Starts the network, for all tests of a file. */
export function useOperatorWorld(seed: 'demo' | 'empty' = 'demo'): OperatorWorld {
  const served = ofSuite(() => serveTestNetwork({ seed }));
  let command: Promise<Command> | undefined;
  let folder = '';
  const withEnvironment = <Options extends RunOptions>({ env, ...rest }: Options) => ({
    env: { OFFERLET_NETWORK: served.url, OFFERLET_API_KEY: world.key, HOME: folder, ...env },
    ...rest,
  });
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'offerlet-watch-'));
    // The demo's history ends with the last whole hour; just after midnight, that would be yesterday.
    if (seed === 'demo') await world.activity([{ day: today(), hour: `${today()}T00:00:00Z`, clicks: 1 }]);
  });
  afterAll(async () => {
    await (await command)?.remove();
    rmSync(folder, { recursive: true, force: true });
  });
  const world: OperatorWorld = {
    get network() {
      return served.network;
    },
    get url() {
      return served.url;
    },
    get keys() {
      return { ...served.network.describe().keys };
    },
    get key() {
      return world.keys['management'] ?? '';
    },
    get publisher() {
      return served.network.describe().publisher.publisher_remote_id;
    },
    get folder() {
      return folder;
    },
    run: (args, options = {}) =>
      runCommand({ name: 'offerlet-operator', commands }, wordsOf(args), withEnvironment(options)),
    runProcess: async (args, options = {}) =>
      runProcess(wordsOf(args), { file: await world.file(), ...withEnvironment(options) }),
    async file() {
      command ??= buildCommand('src/operator/cli.ts');
      return (await command).file;
    },
    control: (method, path, body) => served.control(method, `/sandbox/${path}`, body),
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
        const headers = { 'x-api-key': world.key };
        const response = await fetch(`${served.url}/adnet/reporting/v2/report/?${params}`, { headers });
        const page = (await response.json()) as { data: RawRow[]; pagination: { has_more: boolean } };
        rows.push(...page.data);
        if (!page.pagination.has_more) return rows;
      }
    },
  };
  return world;
}

function wordsOf(args: string | readonly string[]): readonly string[] {
  if (typeof args !== 'string') return args;
  return [...args.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}
