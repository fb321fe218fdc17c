import type { Output } from '../cli/output/createOutput.ts';
import type { Options } from '../cli/options.ts';
import { UsageError } from '../cli/UsageError.ts';

// Options that the commands sandbox and network share.

/** Where the network stores its data. */
export const DATABASE = {
  data: { kind: 'text', value: 'DIR', about: 'Directory of the embedded database. Default: .offerlet/network.' },
  memory: { kind: 'flag', about: 'Stores nothing on disk.' },
  'database-url': {
    kind: 'list',
    value: 'URL',
    about: 'Uses a PostgreSQL server (15 or newer) instead. Repeat it for each node of a distributed one.',
  },
  wait: {
    kind: 'text',
    value: 'SECONDS',
    about: 'How long to wait at the start for a PostgreSQL server that cannot be reached. Default: 0.',
  },
} as const satisfies Options;

/** Who may call the controls. */
export const CONTROL_HOST = {
  kind: 'list',
  value: 'NAME',
  about:
    'Another host name at which the controls under /sandbox/ may be called, for containers and CI. By default only localhost and 127.0.0.1, from this machine.',
} as const;

/** Output for programs. */
export const JSON_OUTPUT = { kind: 'flag', about: 'Prints one JSON object as the first line of output.' } as const;

/**
 * Reads `--database-url`. In the environment the URLs are separated by commas or spaces, and a password may contain commas:
 * what does not begin a URL belongs to the one before. A password on the command line is used, with a warning. Throws a
 * `UsageError`, which does not repeat the URL.
 */
export function readDatabaseUrls(
  parts: readonly string[],
  { argv, out }: { readonly argv: readonly string[]; readonly out: Pick<Output, 'log'> },
): readonly string[] {
  if (argv.some((argument) => /\bpostgres(?:ql)?:.*(?::[^/].*@|password=)/i.test(argument)))
    out.log(
      'Every account of this machine can read the password in --database-url. Set OFFERLET_DATABASE_URL instead.',
    );
  const urls: string[] = [];
  for (const part of parts) {
    const last = urls.at(-1);
    if (last === undefined || part.includes('://')) urls.push(part);
    else urls[urls.length - 1] = `${last},${part}`;
  }
  // The driver takes anything else for the path of a socket, and its error would repeat it with the password.
  if (!urls.every((url) => /^postgres(ql)?:\/\//i.test(url)))
    throw new UsageError(
      '--database-url is not the URL of a PostgreSQL server. Use something like postgres://me@db.example/offers.',
    );
  return urls;
}

/** Reads `--wait`. Throws a `UsageError` unless it is a number of seconds. */
export function readWait(text: string | undefined): number {
  const seconds = Number(text ?? 0);
  if (text?.trim() !== '' && seconds >= 0 && seconds <= 86_400) return seconds;
  throw new UsageError(`--wait is not a number of seconds: "${text ?? ''}". Use something like 60.`);
}
