import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { Command, Options, SettingsSource } from '../../program/command.ts';
import { listen, type Listener, untilStopped } from '../../program/listen.ts';
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
  const server = await listen(toListener(handler), { port });
  out.json({ url: server.url });
  out.say(`Console   ${server.url}`);
  out.say(`  →  ${url}${environment === 'production' ? '  PRODUCTION' : ''}`);
  out.say('While it runs, everybody who can use this machine can use it. Press Ctrl-C to stop.');
  await untilStopped([server]);
}

/** A listener of node:http that calls the console. */
export function toListener(handler: ReturnType<typeof createOperatorConsole>): Listener {
  return async (message, response) => {
    const left = new AbortController();
    response.on('close', () => left.abort());
    const request = readRequest(message, left.signal);
    const { status, headers, body } = request
      ? await handler(request, { ip: message.socket.remoteAddress }).catch(() => new Response(null, { status: 500 }))
      : new Response(null, { status: 400 });
    // The unread rest of a refused body must not be parsed as the next request.
    response.writeHead(status, {
      ...Object.fromEntries(headers),
      ...(message.complete ? {} : { connection: 'close' }),
    });
    for await (const chunk of (message.method !== 'HEAD' && body) || []) response.write(chunk);
    response.end();
  };
}

/** A message as a Web request; `undefined` for one that cannot be any: the Host header may be 127.999.1.1, or the method TRACE. */
function readRequest(message: IncomingMessage, signal: AbortSignal): Request | undefined {
  const { method = 'GET', url = '/', headers } = message;
  const isBodiless = method === 'GET' || method === 'HEAD';
  try {
    return new Request(`http://${headers.host}${url}`, {
      method,
      headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
      ...(isBodiless ? {} : { body: Readable.toWeb(message) as ReadableStream, duplex: 'half' }),
      signal,
    });
  } catch {
    return undefined;
  }
}
