import { afterAll, beforeAll } from 'vitest';
import { openScriptedServer, type ScriptedServer } from '../clients/scriptedServer.ts';
import { buildCommand, type Command } from '../../relay/command.ts';
import { runCommand, type Ran } from './runCommand.ts';

/** How a command calls the scripted network. */
export interface ScriptedRun {
  readonly apiKey: string;
  /** The URL of the network; by default that of the scripted server. */
  readonly network?: string | undefined;
  /** Runs in a terminal of that many columns. */
  readonly columns?: number | undefined;
}

/** Builds the command and opens a server with scripted responses, for all tests of a file. */
export function useScriptedCommand(): {
  server(): ScriptedServer;
  offerlet(words: readonly string[], run: ScriptedRun): Promise<Ran>;
} {
  let server: ScriptedServer;
  let command: Command;
  beforeAll(async () => {
    [server, command] = await Promise.all([openScriptedServer(), buildCommand('src/operator/cli.ts')]);
  }, 120_000);
  afterAll(async () => {
    await server.close();
    await command.remove();
  });
  return {
    server: () => server,
    offerlet(words, { apiKey, network = server.url, columns }) {
      const env = { OFFERLET_NETWORK: network, OFFERLET_API_KEY: apiKey, NO_COLOR: '1', TERM: 'xterm' };
      return runCommand(words, { file: command.file, env, columns });
    },
  };
}
