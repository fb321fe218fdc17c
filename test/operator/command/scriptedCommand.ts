import { afterAll, beforeAll } from 'vitest';
import { commands } from '../../../src/operator/commands.ts';
import { openScriptedServer, type ScriptedServer } from '../clients/scriptedServer.ts';
import { runCommand, type Ran } from '../../fixtures/runCommand.ts';

/** How a command calls the scripted network. */
export interface ScriptedRun {
  readonly apiKey: string;
  /** The URL of the network; by default that of the scripted server. */
  readonly network?: string | undefined;
  /** Runs in a terminal of that many columns. */
  readonly columns?: number | undefined;
}

/** Opens a server with scripted responses, for all tests of a file. */
export function useScriptedCommand(): {
  server(): ScriptedServer;
  offerlet(words: readonly string[], run: ScriptedRun): Promise<Ran>;
} {
  let server: ScriptedServer;
  beforeAll(async () => void (server = await openScriptedServer()));
  afterAll(() => server.close());
  return {
    server: () => server,
    offerlet(words, { apiKey, network = server.url, columns }) {
      const env = { OFFERLET_NETWORK: network, OFFERLET_API_KEY: apiKey, NO_COLOR: '1', TERM: 'xterm' };
      return runCommand({ name: 'offerlet-operator', commands }, words, { env, columns });
    },
  };
}
