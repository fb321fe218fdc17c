import { readFileSync } from 'node:fs';
import { ChannelClient, ReportingClient, type ClientOptions, type ResponseNotice } from '../../clients.ts';
import type { Options } from '../../cli/options.ts';
import type { Progress } from '../../cli/output/progress.ts';
import { UsageError } from '../../cli/UsageError.ts';

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
}

/** Creates the clients of a command. Throws a `UsageError` when network or key are missing or not valid. */
export function createConnection({ network, keyFile, env, progress }: ConnectionOptions): Connection {
  if (network === undefined)
    throw new UsageError(
      '--network is missing. Use something like --network https://channel.example, or set OFFERLET_NETWORK.',
    );
  const apiKey = keyFile === undefined ? env['OFFERLET_API_KEY']?.trim() : readKeyFile(keyFile);
  if (!apiKey) throw new UsageError('The key is missing. Set OFFERLET_API_KEY, or use --api-key-file FILE.');
  const onResponse = ({ status, retryIn }: ResponseNotice): void => {
    if (retryIn === undefined) return;
    const why = status === 0 ? 'No response' : status === 429 ? 'Too many requests' : `The network returned ${status}`;
    progress.step(`${why}; trying again in ${Math.max(1, Math.round(retryIn / 1_000))} s …`);
  };
  const options: ClientOptions = { baseUrl: network, apiKey, onResponse };
  const channel = (more: { maxRetries?: number } = {}): ChannelClient => new ChannelClient({ ...options, ...more });
  try {
    channel();
  } catch (error) {
    const { message } = error as Error;
    throw new UsageError(message.replace('baseUrl', '--network').replace('apiKey', 'The key'));
  }
  progress.step(`Waiting for ${new URL(network).host} …`);
  return {
    url: network,
    apiKey,
    channel,
    channelReport: () => new ReportingClient({ ...options, variant: 'channel' }),
    publisherReport: () => new ReportingClient({ ...options, variant: 'publisher' }),
  };
}

function readKeyFile(path: string): string {
  try {
    const key = readFileSync(path, 'utf8').trim();
    if (key !== '') return key;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`--api-key-file cannot be read: "${path}" (${code ?? 'unknown error'}).`);
  }
  throw new UsageError(`--api-key-file is empty: "${path}".`);
}
