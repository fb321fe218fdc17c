import type { Options } from '../cli/options.ts';

// Options that the commands sandbox and network share.

/** Where the network stores its data. */
export const DATABASE = {
  data: { kind: 'text', value: 'DIR', about: 'Directory of the embedded database. Default: .offerlet/network.' },
  memory: { kind: 'flag', about: 'Stores nothing on disk.' },
  'database-url': { kind: 'text', value: 'URL', about: 'Uses a PostgreSQL server (15 or newer) instead.' },
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
