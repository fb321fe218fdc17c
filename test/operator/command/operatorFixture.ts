import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { Listening } from '../../../src/cli/listen.ts';
import { createNetwork, type Network } from '../../../src/network.ts';
import { serve } from '../../../src/sandbox/startNetwork.ts';
import { buildCommand, type Command } from '../../relay/command.ts';
import { runCommand, type Ran, type RunOptions } from './runCommand.ts';

/** The commands against a sandbox network, with an account of their own. */
export interface Operators {
  network(): Network;
  url(): string;
  /** The home of the account that runs the commands. */
  home(): string;
  file(): string;
  key(): string;
  /** Runs a command line; words in double quotes stay together. */
  offerlet(args: string, options?: Partial<RunOptions>): Promise<Ran>;
}

/** Opens a network with the demo's data for all tests of a file. */
export function useOperators(): Operators {
  let [network, server, command, home]: [Network?, Listening?, Command?, string?] = [];
  beforeAll(async () => {
    [network, command] = await Promise.all([
      createNetwork({ memory: true, seed: 'demo', log: () => undefined }),
      buildCommand('src/operator/cli.ts'),
    ]);
    const { fetch } = network;
    server = await serve((request, from) => fetch(request, from), { port: 0 });
    home = mkdtempSync(join(tmpdir(), 'offerlet-account-'));
  }, 180_000);
  afterAll(async () => {
    await server?.close();
    await network?.close();
    await command?.remove();
    if (home !== undefined) rmSync(home, { recursive: true, force: true });
  });
  const there = <Value>(value: Value | undefined): Value => {
    if (value === undefined) throw new Error('The network is not open yet.');
    return value;
  };
  const operators: Operators = {
    network: () => there(network),
    url: () => there(server).url,
    home: () => there(home),
    file: () => there(command).file,
    key: () => there(network).describe().keys['management'] ?? '',
    offerlet(args, { env, ...options } = {}) {
      const words = [...args.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
      const own = { OFFERLET_NETWORK: operators.url(), OFFERLET_API_KEY: operators.key(), HOME: operators.home() };
      return runCommand(words, { file: operators.file(), env: { ...own, ...env }, ...options });
    },
  };
  return operators;
}
