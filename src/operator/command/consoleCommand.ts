import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import type { Server } from 'node:http';
import type { Command, Options, SettingsSource } from '../../cli/command.ts';
import { SERVER_OPTIONS, startListening, untilStopped } from '../../cli/listen.ts';
import { createOutput } from '../../cli/output/terminal.ts';
import { createOperatorConsole } from '../console/createOperatorConsole.ts';
import { openChangeLog } from '../changeLog.ts';
import {
  CONNECTION,
  createConnection,
  readConnected,
  type Connection,
  type ConnectionOptions,
} from './operatorCommand.ts';
import { readProfiles, type Profile } from './profiles.ts';

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
  environment: `Environment variables: OFFERLET_PROFILE, OFFERLET_NETWORK, OFFERLET_PORT, and OFFERLET_API_KEY or
OFFERLET_API_KEY_FILE.`,
  run: runConsole,
};

async function runConsole({ argv, env }: SettingsSource): Promise<void> {
  const { settings, profile } = readConnected(OPTIONS, { argv, env });
  const out = createOutput({ json: settings.json });
  const note = (line: string): void => out.log(line);
  const consoles =
    profile === undefined && settings.network === undefined
      ? openProfiles(readProfiles(env), { env, note })
      : [openOne({ profile, network: settings.network, keyFile: settings['api-key-file'], env, note })];
  const profiles =
    consoles.length > 1 ? consoles.map(({ name, environment }) => ({ name, environment, path: `/${name}/` })) : [];
  const changes = openChangeLog({ from: 'console', env });
  const handlers = consoles.map(({ name, url, apiKey, variant }) => ({
    base: profiles.length > 0 ? `/${name}/` : '/',
    handler: createOperatorConsole({
      network: url,
      apiKey,
      variant: variant ?? settings.variant,
      basePath: profiles.length > 0 ? name : '/',
      changes,
      rules: settings.rules,
      reports: settings.reports,
      statements: settings.statements,
      profiles,
    }),
  }));
  const server = await startListening(
    createAdaptorServer({
      // The Host header is part of the URL, and may be one that no URL has, such as 127.999.1.1.
      fetch(request, bindings) {
        if (!URL.canParse(request.url)) return new Response('Bad Request', { status: 400 });
        const { pathname } = new URL(request.url);
        const [first] = handlers;
        const found = handlers.find(({ base }) => `${pathname}/`.startsWith(base)) ?? first;
        if (pathname === '/' && first && first.base !== '/')
          return new Response(null, { status: 302, headers: { location: first.base } });
        const { remoteAddress } = (bindings as HttpBindings).incoming.socket;
        return found ? found.handler(request, { ip: remoteAddress }) : new Response('Not found', { status: 404 });
      },
      serverOptions: SERVER_OPTIONS,
      overrideGlobalObjects: false,
    }) as Server,
    { port: settings.port },
  );
  out.json({ url: server.url });
  for (const { base } of handlers.slice(0, 1)) out.say(`Console   ${server.url}${base === '/' ? '' : base}`);
  for (const { name, url, environment } of consoles)
    out.say(`  ${name === '' ? '→' : `${name}  →`}  ${url}${environment === 'production' ? '  PRODUCTION' : ''}`);
  out.say('While it runs, everybody who can use this machine can use it. Press Ctrl-C to stop.');
  await untilStopped([server]);
}

interface OpenedConsole extends Pick<Connection, 'url' | 'apiKey' | 'environment'> {
  /** The profile; empty without one. */
  readonly name: string;
  readonly variant: Profile['variant'] | undefined;
}

function openOne(from: Omit<ConnectionOptions, 'progress'>): OpenedConsole {
  const { profile, network } = from;
  const { url, apiKey, environment } = createConnection({
    ...from,
    network: profile?.network ?? network,
    progress: { step: () => undefined, end: () => undefined },
  });
  return { name: profile?.name ?? '', variant: profile?.variant, url, apiKey, environment };
}

/** Opens every profile whose key can be read; the others are named. */
function openProfiles(
  profiles: readonly Profile[],
  { env, note }: Pick<ConnectionOptions, 'env' | 'note'>,
): OpenedConsole[] {
  const opened = profiles.flatMap((profile) => {
    try {
      return [openOne({ profile, network: undefined, keyFile: undefined, env, note })];
    } catch (error) {
      note(`Left out the profile ${profile.name}: ${(error as Error).message}`);
      return [];
    }
  });
  // Says what is missing, as every command does.
  return opened.length > 0 ? opened : [openOne({ network: undefined, keyFile: undefined, env, note })];
}
