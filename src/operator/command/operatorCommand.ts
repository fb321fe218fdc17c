import { readFileSync } from 'node:fs';
import type { Command } from '../../cli/command.ts';
import { ExitError, EXIT } from '../../cli/ExitError.ts';
import type { Options, SettingsOf } from '../../cli/options.ts';
import { cutTo } from '../../cli/output/displayWidth.ts';
import { openTerminal, type Terminal } from '../../cli/output/terminal.ts';
import { readKeyFile } from '../../cli/readKeyFile.ts';
import { readCall } from '../../cli/readSettings.ts';
import { UsageError } from '../../cli/UsageError.ts';
import { ChannelClient } from '../clients/ChannelClient.ts';
import { ReportingClient } from '../clients/ReportingClient.ts';
import type { ClientOptions, ResponseNotice } from '../clients/connect.ts';
import { explainFailure } from './explainFailure.ts';

/** What every operator command accepts. */
export const FORMAT = {
  json: { kind: 'flag', about: 'Prints one JSON document.' },
  csv: { kind: 'flag', about: 'Prints CSV (RFC 4180).' },
} as const satisfies Options;

/** What a command gets to work with. */
export interface CommandContext<All extends Options> {
  readonly settings: SettingsOf<All & typeof FORMAT>;
  /** The words after the command's name. */
  readonly words: readonly string[];
  readonly terminal: Terminal;
  readonly connection: Connection;
  readonly progress: Progress;
}

/** An operator command: its own options; connection and format are added. */
export interface OperatorCommand<All extends Options> {
  readonly summary: string;
  readonly usage?: string | undefined;
  readonly maxWords?: number | undefined;
  readonly options: All;
  readonly examples: NonNullable<Command['examples']>;
  run(context: CommandContext<All>): Promise<void>;
}

const ENVIRONMENT = `Set OFFERLET_NETWORK and OFFERLET_API_KEY to leave out --network and --api-key-file.
Data goes to stdout, everything else to stderr.
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 key refused, 4 not found, 5 some items failed.`;

/** The only variables that these commands read: a stray OFFERLET_LIMIT must not change a report. */
const VARIABLES = ['OFFERLET_NETWORK', 'OFFERLET_API_KEY_FILE'];

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
      let keyFile = env['OFFERLET_API_KEY_FILE'];
      try {
        refuseKeyOption(argv);
        const variables = Object.fromEntries(VARIABLES.map((name) => [name, env[name]]));
        const { settings, words } = readCall(options, { argv, env: variables }, command.maxWords);
        if (settings['json'] && settings['csv']) throw new UsageError('Use either --json or --csv.');
        keyFile = settings['api-key-file'];
        const connection = createConnection({
          network: settings['network'],
          keyFile: settings['api-key-file'],
          env,
          progress,
          note: terminal.note,
        });
        await command.run({
          settings: settings as unknown as SettingsOf<All & typeof FORMAT>,
          words,
          terminal,
          connection,
          progress,
        });
      } catch (error) {
        progress.end();
        throw error instanceof UsageError || error instanceof ExitError ? error : explainFailure(error, keyFile);
      } finally {
        progress.end();
      }
    },
  };
}

function refuseKeyOption(argv: readonly string[]): void {
  if (argv.some((word) => /^--(api-)?key(=|$)/.test(word)))
    throw new UsageError(
      'A key on the command line can be seen by other users of this machine. Set OFFERLET_API_KEY, or use --api-key-file FILE.',
    );
}

/** Returns the one word that a command requires. */
export function requireWord(words: readonly string[], what: string): string {
  const [word] = words;
  if (word === undefined || word.trim() === '')
    throw new UsageError(`${what} is missing. Use --help to see an example.`);
  return word;
}

/** Ends a command because some items failed. */
export function someFailed(message: string): ExitError {
  return new ExitError(message, EXIT.someFailed);
}

/** How an operator command finds the network. */
export const CONNECTION = {
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
  /** Where the key was read from; undefined for OFFERLET_API_KEY. */
  readonly keyFile: string | undefined;
  /** `maxRetries` replaces the clients' default. */
  channel(options?: { maxRetries?: number }): ChannelClient;
  channelReport(): ReportingClient<'channel'>;
  publisherReport(): ReportingClient<'publisher'>;
}

/** What `createConnection` reads. */
export interface ConnectionOptions {
  readonly network: string | undefined;
  readonly keyFile: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly progress: Progress;
  /** Writes a line for people. */
  note(line: string): void;
}

/** Creates the clients of a command. Throws a `UsageError` when network or key are missing or not valid. */
export function createConnection({ network, keyFile, env, progress, note }: ConnectionOptions): Connection {
  if (network === undefined)
    throw new UsageError(
      '--network is missing. Use something like --network https://channel.example, or set OFFERLET_NETWORK.',
    );
  const apiKey = keyFile === undefined ? env['OFFERLET_API_KEY']?.trim() : readKeyFile('--api-key-file', keyFile, note);
  if (!apiKey) throw new UsageError('The key is missing. Set OFFERLET_API_KEY, or use --api-key-file FILE.');
  const onResponse = ({ status, retryIn }: ResponseNotice): void => {
    if (retryIn === undefined) return;
    const why = status === 0 ? 'No response' : status === 429 ? 'Too many requests' : `The network returned ${status}`;
    progress.step(`${why}; trying again in ${Math.max(1, Math.round(retryIn / 1_000))} s …`);
  };
  const options: ClientOptions = { networkUrl: network, apiKey, onResponse };
  const channel = (more: { maxRetries?: number } = {}): ChannelClient => new ChannelClient({ ...options, ...more });
  try {
    channel();
  } catch (error) {
    const { message } = error as Error;
    throw new UsageError(message.replace('networkUrl', '--network').replace('apiKey', 'The key'));
  }
  progress.step(`Waiting for ${new URL(network).host} …`);
  return {
    url: network,
    apiKey,
    keyFile,
    channel,
    channelReport: () => new ReportingClient({ ...options, variant: 'channel' }),
    publisherReport: () => new ReportingClient({ ...options, variant: 'publisher' }),
  };
}

/** Shows what a command waits for, once it takes long. */
export interface Progress {
  /** Says what is being done. */
  step(text: string): void;
  /** Removes the line. */
  end(): void;
}

/** Milliseconds before the first word about progress; without a terminal, longer: most commands are done by then. */
const QUIET_MS = 1_000;
const QUIET_LOG_MS = 3_000;
/** Milliseconds between two lines in a log. */
const LOG_EVERY_MS = 5_000;
const CLEAR = '\r\u001B[K';

/** Creates a progress line on stderr. */
export function createProgress(terminal: Terminal): Progress {
  let text = '';
  let isShown = false;
  let isEnded = false;
  let logged = '';
  const show = (): void => {
    if (isEnded || text === '') return;
    if (text === logged) return;
    logged = text;
    if (!terminal.isLive) return terminal.note(text);
    // A line that wraps could not be cleared.
    terminal.raw(CLEAR + cutTo(text, terminal.noteWidth - 1));
    isShown = true;
  };
  const first = setTimeout(
    () => {
      show();
      repeat = setInterval(show, terminal.isLive ? 200 : LOG_EVERY_MS);
      repeat.unref();
    },
    terminal.isLive ? QUIET_MS : QUIET_LOG_MS,
  );
  let repeat: NodeJS.Timeout | undefined;
  first.unref();
  return {
    step(next) {
      text = next;
    },
    end() {
      isEnded = true;
      clearTimeout(first);
      clearInterval(repeat);
      if (isShown) terminal.raw(CLEAR);
      isShown = false;
    },
  };
}

/** Returns the bytes of a file, or of stdin for `-`. Throws a `UsageError` that names the option or argument. */
export async function readInput(path: string, name: string): Promise<Uint8Array> {
  try {
    return path === '-' ? await readStdin() : readFileSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'it is a directory' : code;
    throw new UsageError(`${name} cannot be read: "${path}" (${reason ?? String(error)}).`);
  }
}

async function readStdin(): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
