import { getRequestListener, type HttpBindings } from '@hono/node-server';
import type { Command, Options, SettingsSource } from '../../program/command.ts';
import { listen, untilStopped } from '../../program/listen.ts';
import { readKeyFile } from '../../program/readKeyFile.ts';
import { createOutput } from '../../program/terminal.ts';
import { createOperatorConsole } from '../console/createOperatorConsole.ts';
import { CONNECTION, createConnection, readConnected } from './connection.ts';
import { CURRENCY } from './readQuery.ts';

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
    about: 'The rules of the page Watch; by default those that watch --init prints.',
  },
  currency: CURRENCY,
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
  environment: `Environment variables: OFFERLET_NETWORK, OFFERLET_CURRENCY, OFFERLET_PORT, and OFFERLET_API_KEY or
OFFERLET_API_KEY_FILE.`,
  run: runConsole,
};

async function runConsole({ argv, env }: SettingsSource): Promise<void> {
  const { settings } = readConnected(OPTIONS, { argv, env });
  const out = createOutput({ json: settings.json });
  const { url, apiKey, environment } = createConnection({
    network: settings.network,
    keyFile: settings['api-key-file'],
    env,
    progress: { step: () => undefined, end: () => undefined },
    note: out.log,
  });
  const { variant, rules, currency, port, 'api-key-file': file } = settings;
  const handler = createOperatorConsole({
    networkUrl: url,
    // The file is read again for each call, so that a rotated key needs no restart.
    apiKey: file === undefined ? apiKey : () => readKeyFile('--api-key-file', file, () => undefined),
    variant,
    rules,
    currency,
  });
  const listener = getRequestListener(
    // The Host header is part of the URL, and may be one that no URL has, such as 127.999.1.1.
    (request, bindings) =>
      URL.canParse(request.url)
        ? handler(request, { ip: (bindings as HttpBindings).incoming.socket.remoteAddress })
        : new Response('Bad Request', { status: 400 }),
    { overrideGlobalObjects: false },
  );
  const server = await listen(listener, { port });
  out.json({ url: server.url });
  out.say(`Console   ${server.url}`);
  out.say(`  →  ${url}${environment === 'production' ? '  PRODUCTION' : ''}`);
  out.say('While it runs, everybody who can use this machine can use it. Press Ctrl-C to stop.');
  await untilStopped([server]);
}
