import { type Options, readCall, type SettingsOf, type SettingsSource } from '../../program/command.ts';
import { refusedFlag, UsageError } from '../../program/ExitError.ts';
import { readKeyFile } from '../../program/readKeyFile.ts';
import { readKey } from '../../wire/keys.ts';
import { ChannelClient } from '../clients/ChannelClient.ts';
import type { ClientOptions, ResponseNotice } from '../../http/connect.ts';
import { ReportingClient } from '../clients/ReportingClient.ts';
import type { Progress } from '../../program/progress.ts';

/** How an operator command finds the network. */
export const CONNECTION = {
  network: { kind: 'text', value: 'URL', about: 'URL of the network, such as https://channel.example.' },
  'api-key-file': {
    kind: 'text',
    value: 'FILE',
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
  /** `maxRetries` replaces the clients' default. */
  channel(options?: { maxRetries?: number }): ChannelClient;
  channelReport(): ReportingClient<'channel'>;
  publisherReport(): ReportingClient<'publisher'>;
}

/** The only variables that these commands read: a stray OFFERLET_LIMIT must not change a report. */
const VARIABLES = ['OFFERLET_NETWORK', 'OFFERLET_API_KEY_FILE', 'OFFERLET_CURRENCY', 'OFFERLET_PORT'];

/** Reads the options of a command that calls the network. */
export function readConnected<const All extends Options>(
  options: All,
  { argv, env, maxWords }: SettingsSource & { readonly maxWords?: number | undefined },
): { readonly settings: SettingsOf<All>; readonly words: readonly string[] } {
  if (argv.some((word) => /^--(api-)?key(=|$)/.test(word)))
    throw new UsageError(
      'A key on the command line can be seen by other users of this machine. Set OFFERLET_API_KEY, or use --api-key-file FILE.',
    );
  return readCall(options, { argv, env: Object.fromEntries(VARIABLES.map((name) => [name, env[name]])) }, maxWords);
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
    throw new UsageError('--network is missing: use --network https://channel.example, or set OFFERLET_NETWORK.');
  const apiKey = keyFile === undefined ? env['OFFERLET_API_KEY']?.trim() : readKeyFile('--api-key-file', keyFile, note);
  if (!apiKey) throw new UsageError('The key is missing. Set OFFERLET_API_KEY, or use --api-key-file FILE.');
  const onResponse = ({ status, retryIn, attempt }: ResponseNotice, maxRetries = 2): void => {
    if (retryIn === undefined) return;
    const why = status === 0 ? 'No response' : status === 429 ? 'Too many requests' : `The network returned ${status}`;
    progress.step(
      `${why}; trying again in ${Math.max(1, Math.round(retryIn / 1_000))} s (${attempt} of ${maxRetries} times) …`,
    );
  };
  const options: ClientOptions = { networkUrl: network, apiKey, onResponse: (notice) => onResponse(notice) };
  const channel = openChannel(options);
  progress.step(`Waiting for ${new URL(network).host} …`);
  return {
    url: network,
    apiKey,
    keySource: keyFile === undefined ? 'OFFERLET_API_KEY' : `the key in ${keyFile}`,
    environment: readKey(apiKey)?.environment ?? null,
    channel: ({ maxRetries } = {}) =>
      maxRetries === undefined
        ? channel
        : openChannel({ ...options, maxRetries, onResponse: (notice) => onResponse(notice, maxRetries) }),
    channelReport: () => new ReportingClient({ ...options, variant: 'channel' }),
    publisherReport: () => new ReportingClient({ ...options, variant: 'publisher' }),
  };
}

/** Creates the client that every command uses first: what is wrong with network or key is named by its option. */
function openChannel(options: ClientOptions): ChannelClient {
  try {
    return new ChannelClient(options);
  } catch (error) {
    throw refusedFlag(error, { networkUrl: '--network', apiKey: 'The key' });
  }
}
