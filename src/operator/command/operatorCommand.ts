import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import {
  type Command,
  FORMAT,
  type Options,
  readCall,
  type SettingsOf,
  type SettingsSource,
} from '../../cli/command.ts';
import { EXIT, ExitError, UsageError } from '../../cli/ExitError.ts';
import { print, type Printable } from '../../cli/output/print.ts';
import { createProgress, type Progress } from '../../cli/output/progress.ts';
import { openTerminal, type Terminal } from '../../cli/output/terminal.ts';
import { readKeyFile } from '../../cli/readKeyFile.ts';
import { readKey } from '../../wire/keys.ts';
import { openChangeLog, type ChangeLog } from '../changeLog.ts';
import { ChannelClient } from '../clients/ChannelClient.ts';
import { OPERATOR } from '../clients/errors.ts';
import { connect, type ClientOptions, type ResponseNotice } from '../../http/connect.ts';
import { ReportingClient } from '../clients/ReportingClient.ts';
import { explainFailure } from './explainFailure.ts';
import { findProfile, type Profile } from './profiles.ts';

/** What a command gets to work with. */
export interface CommandContext<All extends Options> {
  readonly settings: SettingsOf<All & typeof FORMAT>;
  /** The words after the command's name. */
  readonly words: readonly string[];
  readonly terminal: Terminal;
  readonly connection: Connection;
  readonly progress: Progress;
  /** The environment, for secrets that no option takes. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Ends the progress, and prints data as --json and --csv say. */
  print(data: Printable): void;
}

/** An operator command: its own options; connection and format are added. */
export interface OperatorCommand<All extends Options> extends Pick<Command, 'summary' | 'usage'> {
  readonly maxWords?: number | undefined;
  readonly options: All;
  readonly examples: NonNullable<Command['examples']>;
  run(context: CommandContext<All>): Promise<void>;
}

const ENVIRONMENT = `Set OFFERLET_NETWORK and OFFERLET_API_KEY to leave out --network and --api-key-file.
OFFERLET_PROFILE is in place of both.
Data goes to stdout, everything else to stderr.
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 key refused, 4 not found, 5 some items failed.`;

/** Creates a command of the channel's operator: connection, format, one line for each failure, and the exit codes. */
export function operatorCommand<const All extends Options>(command: OperatorCommand<All>): Command {
  const options = { ...command.options, ...CONNECTION, ...FORMAT };
  return {
    summary: command.summary,
    usage: command.usage,
    options,
    examples: command.examples,
    environment: ENVIRONMENT,
    async run({ argv, env }) {
      const terminal = openTerminal({ env });
      const progress = createProgress(terminal);
      let keySource: string | undefined;
      try {
        const { settings, words, profile } = readConnected(options, { argv, env, maxWords: command.maxWords });
        if (settings['json'] && settings['csv']) throw new UsageError('Use either --json or --csv.');
        const connection = createConnection({
          network: settings['network'],
          keyFile: settings['api-key-file'],
          profile,
          env,
          progress,
          note: terminal.note,
        });
        ({ keySource } = connection);
        await command.run({
          settings: settings as unknown as SettingsOf<All & typeof FORMAT>,
          words,
          terminal,
          connection,
          progress,
          env,
          print(data) {
            progress.end();
            print(data, { format: settings as unknown as SettingsOf<typeof FORMAT>, terminal });
          },
        });
      } catch (error) {
        progress.end();
        throw error instanceof UsageError || error instanceof ExitError ? error : explainFailure(error, keySource);
      } finally {
        progress.end();
      }
    },
  };
}

/** Returns the one word that a command requires. */
export function requireWord(words: readonly string[], what: string): string {
  const [word] = words;
  if (word === undefined || word.trim() === '')
    throw new UsageError(`${what} is missing. Use --help to see an example.`);
  return word;
}

/** How an operator command finds the network. */
export const CONNECTION = {
  profile: {
    kind: 'text',
    value: 'NAME',
    about: 'Network and key by a name that "offerlet-operator profiles add" gave them.',
  },
  network: { kind: 'text', value: 'URL', about: 'URL of the network, such as https://channel.example.' },
  'api-key-file': {
    kind: 'text',
    value: 'FILE',
    completes: 'file',
    about: 'File that contains the key. By default, the key is read from OFFERLET_API_KEY.',
  },
} as const satisfies Options;

/** The network and the key of a command. */
export interface Connection {
  /** The URL of the network. */
  readonly url: string;
  /** The key, for its prefix only: never print it. */
  readonly apiKey: string;
  /** Where the key was read from, for messages. */
  readonly keySource: string;
  /** What the key says. */
  readonly environment: 'production' | 'staging' | null;
  /** The log of the changes that are made from this account. */
  readonly changes: ChangeLog;
  /** `maxRetries` replaces the clients' default. */
  channel(options?: { maxRetries?: number }): ChannelClient;
  channelReport(): ReportingClient<'channel'>;
  publisherReport(): ReportingClient<'publisher'>;
}

/** What `createConnection` reads. */
export interface ConnectionOptions {
  readonly network: string | undefined;
  readonly keyFile: string | undefined;
  /** In place of both. */
  readonly profile?: Profile | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly progress: Progress;
  /** Writes a line for people. */
  note(line: string): void;
}

/** Reads the options of a command that calls the network. A profile stands for network and key, and for nothing else. */
export function readConnected<const All extends Options>(
  options: All,
  { argv, env, maxWords }: SettingsSource & { readonly maxWords?: number | undefined },
): {
  readonly settings: Readonly<Record<string, never>> & SettingsOf<All>;
  readonly words: readonly string[];
  readonly profile: Profile | undefined;
} {
  if (argv.some((word) => /^--(api-)?key(=|$)/.test(word)))
    throw new UsageError(
      'A key on the command line can be seen by other users of this machine. Set OFFERLET_API_KEY, or use --api-key-file FILE.',
    );
  const read = (variables: Readonly<Record<string, string | undefined>>): ReturnType<typeof readCall<All>> =>
    readCall(options, { argv, env: variables }, maxWords);
  const { OFFERLET_PROFILE, OFFERLET_NETWORK, OFFERLET_API_KEY_FILE, OFFERLET_PORT } = env;
  const given = read({ OFFERLET_PROFILE });
  const {
    profile: name,
    network,
    'api-key-file': keyFile,
  } = given.settings as Readonly<Record<string, string | undefined>>;
  // The only variables that these commands read: a stray OFFERLET_LIMIT must not change a report.
  if (name === undefined)
    return { ...read({ OFFERLET_NETWORK, OFFERLET_API_KEY_FILE, OFFERLET_PORT }), profile: undefined } as never;
  // The key of a profile must not be sent to another network.
  if (network !== undefined || keyFile !== undefined)
    throw new UsageError(
      `Use either ${argv.some((word) => word.startsWith('--profile')) ? '--profile' : 'OFFERLET_PROFILE'}, or --network and --api-key-file.`,
    );
  const profile = findProfile(env, name);
  return {
    ...read({ OFFERLET_NETWORK: profile.network, OFFERLET_VARIANT: profile.variant, OFFERLET_PORT }),
    profile,
  } as never;
}

/** Returns the key, and where it was read from. */
function findKey({ keyFile, profile, env, note }: ConnectionOptions): { apiKey: string | undefined; source: string } {
  const file = profile ? profile.keyFile : keyFile;
  if (file !== undefined)
    return {
      apiKey: readKeyFile(profile ? `The key of profile "${profile.name}"` : '--api-key-file', file, note),
      source: `the key in ${file}`,
    };
  const variable = profile?.keyVariable ?? 'OFFERLET_API_KEY';
  return { apiKey: env[variable]?.trim(), source: variable };
}

/** Creates the clients of a command. Throws a `UsageError` when network or key are missing or not valid. */
export function createConnection(from: ConnectionOptions): Connection {
  const { network, env, progress } = from;
  if (network === undefined)
    throw new UsageError(
      '--network is missing. Use something like --network https://channel.example, set OFFERLET_NETWORK, or use --profile NAME.',
    );
  const { apiKey, source: keySource } = findKey(from);
  if (!apiKey)
    throw new UsageError(
      keySource === 'OFFERLET_API_KEY'
        ? 'The key is missing. Set OFFERLET_API_KEY, or use --api-key-file FILE.'
        : `The key is missing. The profile names the variable ${keySource}, which is not set.`,
    );
  const onResponse = ({ status, retryIn }: ResponseNotice): void => {
    if (retryIn === undefined) return;
    const why = status === 0 ? 'No response' : status === 429 ? 'Too many requests' : `The network returned ${status}`;
    progress.step(`${why}; trying again in ${Math.max(1, Math.round(retryIn / 1_000))} s …`);
  };
  const options: ClientOptions = { networkUrl: network, apiKey, onResponse };
  try {
    connect(options, OPERATOR);
  } catch (error) {
    const { message } = error as Error;
    throw new UsageError(message.replace('networkUrl', '--network').replace('apiKey', 'The key'));
  }
  progress.step(`Waiting for ${new URL(network).host} …`);
  return {
    url: network,
    apiKey,
    keySource,
    environment: readKey(apiKey)?.environment ?? null,
    // Most commands change nothing.
    get changes() {
      return openChangeLog({ from: 'command', env });
    },
    channel: (more) => new ChannelClient({ ...options, ...more }),
    channelReport: () => new ReportingClient({ ...options, variant: 'channel' }),
    publisherReport: () => new ReportingClient({ ...options, variant: 'publisher' }),
  };
}

/** Bytes of a list: more publishers than any network has. */
const INPUT_MAX_BYTES = 32 * 1024 * 1024;

/** Returns the bytes of a file, or of stdin for `-`. Throws a `UsageError` that names the option or argument. */
export async function readInput(path: string, name: string): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of path === '-' ? process.stdin : createReadStream(path)) {
      size += (chunk as Buffer).length;
      if (size > INPUT_MAX_BYTES) throw Object.assign(new Error('too large'), { code: 'it has more than 32 MiB' });
      chunks.push(chunk as Buffer);
    }
    return Buffer.concat(chunks);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'it is a directory' : code;
    throw new UsageError(`${name} cannot be read: "${path}" (${reason ?? String(error)}).`);
  }
}

/** Asks on stderr and returns what was typed; nothing when the input has ended. */
export async function ask(question: string): Promise<string> {
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new Promise<string>((resolve) => prompt.once('close', () => resolve('')));
  const typed = await Promise.race([prompt.question(question), closed]);
  prompt.close();
  return typed.trim();
}

/** Asks whether to go on. Throws unless the response is yes, and without a terminal, where nobody can respond. */
export async function askToGoOn(terminal: Terminal, why: string): Promise<void> {
  if (!terminal.canAsk) throw new UsageError(`${why} Without a terminal, the command cannot ask: use --yes to go on.`);
  terminal.note(why);
  if (!/^y(es)?$/i.test(await ask('Go on? [y/N] '))) throw new ExitError('Nothing was changed.', EXIT.failed);
}
