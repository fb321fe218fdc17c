import { existsSync } from 'node:fs';
import type { Command, CommandGroup } from './command.ts';
import { ELSEWHERE } from './commands.ts';
import { installedVersion } from './readInstalled.ts';
import { UsageError } from './UsageError.ts';

/** Where each package says how to install it. */
const PAGES = {
  'offerlet-sandbox': 'https://github.com/offerlet/offerlet/blob/main/docs/guides/sandbox.md',
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
