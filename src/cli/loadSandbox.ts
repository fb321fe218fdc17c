import { existsSync } from 'node:fs';
import type { Command } from './command.ts';
import { installedVersion } from './readInstalled.ts';
import { UsageError } from './UsageError.ts';

/** Returns a command of the package offerlet-sandbox; a `UsageError` says how to get it when it is not installed. */
export async function loadSandbox(name: 'sandbox' | 'network'): Promise<Command> {
  const url = findCommands();
  // Never "npx offerlet-sandbox": where it is not installed, that downloads and runs whatever has the name.
  if (url === undefined)
    throw new UsageError(
      `The command "${name}" is in the package offerlet-sandbox, which is not installed. Add version ${installedVersion()} of it to your project, or build it in a clone: docs/sandbox.md says how.`,
    );
  const { commands } = (await import(url)) as { commands: Record<typeof name, Command> };
  return commands[name];
}

/** In a clone of the repository the commands are built into the same folder; elsewhere they are installed. */
function findCommands(): string | undefined {
  const here = import.meta.url; // a bundler would treat `new URL('…', import.meta.url)` as a file to copy
  const built = new URL('../sandbox/commands.js', here);
  if (existsSync(built)) return built.href;
  try {
    return import.meta.resolve('offerlet-sandbox/commands');
  } catch {
    return undefined;
  }
}
