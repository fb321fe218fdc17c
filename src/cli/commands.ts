import { existsSync } from 'node:fs';
import { auditCommand } from './audit/auditCommand.ts';
import type { Command, CommandGroup } from '../program/command.ts';
import { cspCommand } from './cspCommand.ts';
import { doctorCommand } from './doctor/doctorCommand.ts';
import { eventsCommands } from './events/eventsCommands.ts';
import { UsageError } from '../program/ExitError.ts';
import { integrityCommand } from './integrityCommand.ts';
import { relayCommand } from './relayCommand.ts';
import { installedVersion } from '../program/runCommands.ts';

/** The commands of the package, in the order of `--help`. */
export const COMMANDS: Readonly<Record<string, Command | CommandGroup>> = {
  relay: relayCommand,
  events: eventsCommands,
  audit: auditCommand,
  integrity: integrityCommand,
  csp: cspCommand,
  doctor: doctorCommand,
};

const SANDBOX = 'offerlet-sandbox';
const OPERATOR = 'offerlet-operator';

/** The commands of other packages. They are loaded when they are called. */
export const ELSEWHERE: Readonly<
  Record<string, { readonly summary: string; readonly from: typeof SANDBOX | typeof OPERATOR }>
> = {
  sandbox: { from: SANDBOX, summary: 'Runs a sandbox network, a relay and a demo shop on this machine.' },
  network: { from: SANDBOX, summary: 'Runs the sandbox network on its own.' },
  publishers: { from: OPERATOR, summary: 'Lists, shows, adds and removes the publishers of a channel.' },
  categories: { from: OPERATOR, summary: 'Lists the categories of the network.' },
  exclusions: { from: OPERATOR, summary: 'Shows and changes the categories that a channel excludes.' },
  report: { from: OPERATOR, summary: 'Prints a report of the channel or of one publisher.' },
  statement: { from: OPERATOR, summary: 'Prints what each publisher earned the channel in a month.' },
  watch: {
    from: OPERATOR,
    summary: 'Says what needs attention: silent publishers, drops, odd rates, requests that wait.',
  },
  console: { from: OPERATOR, summary: 'Opens reports, publishers and exclusions in a page on this machine.' },
  whoami: {
    from: OPERATOR,
    summary: 'Shows the network, the environment, and the channel or publisher that the key belongs to.',
  },
};

/** Where each package says how to install it. */
const PAGES = {
  'offerlet-sandbox': 'https://github.com/offerlet/offerlet/blob/main/docs/guides/test-your-integration.md',
  'offerlet-operator': 'https://github.com/offerlet/offerlet/blob/main/docs/operators/README.md',
} as const;

/** Returns a command of another package; a `UsageError` says how to get it when that is not installed. */
export async function loadElsewhere(name: string): Promise<Command | CommandGroup> {
  const from = ELSEWHERE[name]?.from ?? 'offerlet-sandbox';
  const url = findCommands(from);
  // Never "npx": where a package is not installed, that downloads and runs whatever has the name.
  if (url === undefined)
    throw new UsageError(
      `The command "${name}" is in the package ${from}, which is not installed. Add version ${installedVersion()} of it to your project, or build it in a clone: ${PAGES[from]} says how.`,
    );
  const { commands } = (await import(url)) as { commands: Readonly<Record<string, Command | CommandGroup>> };
  const command = commands[name];
  if (!command) throw new UsageError(`The installed ${from} has no command "${name}". Update both packages.`);
  return command;
}

/** In a clone of the repository the commands are built into the same folder; elsewhere they are installed. */
function findCommands(from: keyof typeof PAGES): string | undefined {
  const here = import.meta.url; // a bundler would treat `new URL('…', import.meta.url)` as a file to copy
  const built = new URL(`../${from.replace('offerlet-', '')}/commands.js`, here);
  if (existsSync(built)) return built.href;
  try {
    return import.meta.resolve(`${from}/commands`);
  } catch {
    return undefined;
  }
}
