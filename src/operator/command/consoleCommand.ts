import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import type { Server } from 'node:http';
import type { Command } from '../../cli/command.ts';
import { SERVER_OPTIONS, startListening, untilStopped } from '../../cli/listen.ts';
import type { Options } from '../../cli/options.ts';
import { createOutput } from '../../cli/output/createOutput.ts';
import { readSettings, type SettingsSource } from '../../cli/readSettings.ts';
import { createOperatorConsole } from '../console/createOperatorConsole.ts';
import { CONNECTION, createConnection } from './operatorCommand.ts';

const OPTIONS = {
  ...CONNECTION,
  variant: {
    kind: 'choice',
    choices: ['channel', 'publisher'],
    default: 'channel',
    about: 'Whose reports: channel with a management key, publisher with a publisher reporting key.',
  },
  rules: {
    kind: 'text',
    value: 'FILE',
    completes: 'file',
    about: 'The rules of the page Watch; by default those that watch --init prints.',
  },
  reports: { kind: 'text', value: 'FILE', completes: 'file', about: 'Saved reports to list, and the currency.' },
  statements: {
    kind: 'text',
    value: 'FOLDER',
    completes: 'file',
    about: 'Where statements of complete months are frozen.',
  },
  port: { kind: 'port', default: 4602, about: 'Port to listen on; 0 for any free port.' },
  json: { kind: 'flag', about: 'Prints one JSON object as the first line of output.' },
} as const satisfies Options;

/** `offerlet-operator console`: a page for operators, on this machine only. The key stays in this process. */
export const consoleCommand: Command = {
  summary: 'Opens reports, publishers and exclusions in a page on this machine.',
  options: OPTIONS,
  examples: [
    {
      call: 'offerlet-operator console --network https://channel.example',
      does: 'Serves the console at http://127.0.0.1:4602, with the key in OFFERLET_API_KEY',
    },
  ],
  run: runConsole,
};

async function runConsole({ argv, env }: SettingsSource): Promise<void> {
  const settings = readSettings(OPTIONS, { argv, env });
  const out = createOutput({ json: settings.json });
  const progress = { step: () => undefined, end: () => undefined };
  const { url, apiKey } = createConnection({
    network: settings.network,
    keyFile: settings['api-key-file'],
    env,
    progress,
    note: (line) => out.log(line),
  });
  const handler = createOperatorConsole({
    network: url,
    apiKey,
    variant: settings.variant,
    rules: settings.rules,
    reports: settings.reports,
    statements: settings.statements,
  });
  const server = await startListening(
    createAdaptorServer({
      // The Host header is part of the URL, and may be one that no URL has, such as 127.999.1.1.
      fetch: (request, bindings) =>
        URL.canParse(request.url)
          ? handler(request, { ip: (bindings as HttpBindings).incoming.socket.remoteAddress })
          : new Response('Bad Request', { status: 400 }),
      serverOptions: SERVER_OPTIONS,
      overrideGlobalObjects: false,
    }) as Server,
    { port: settings.port },
  );
  out.json({ url: server.url });
  out.say(`Console   ${server.url}  →  ${url}`);
  out.say('While it runs, everybody who can use this machine can use it. Press Ctrl-C to stop.');
  await untilStopped([server]);
}
