import type { Options } from './options.ts';
import type { SettingsSource } from './readSettings.ts';

/** One command of a program. */
export interface Command {
  /** One sentence for `--help`. */
  readonly summary: string;
  /** What follows the name, such as `ID [options]`. */
  readonly usage?: string | undefined;
  readonly options: Options;
  /** Calls for `--help`, each with what it does. */
  readonly examples?: readonly { readonly call: string; readonly does: string }[] | undefined;
  /** Replaces the last line of `--help`, on the environment variables. */
  readonly environment?: string | undefined;
  /** Commands with this one's name as their first word, such as `network distribute`. */
  readonly subcommands?: Readonly<Record<string, Command>> | undefined;
  /** Runs until the command is done or stopped. Throws a `UsageError` when it was called wrongly. */
  run(source: SettingsSource): Promise<void>;
}

/** Commands that share a first word, such as `publishers list` and `publishers show`. */
export interface CommandGroup {
  readonly summary: string;
  readonly commands: Readonly<Record<string, Command>>;
}

/** Whether it is a group. */
export function isGroup(command: Command | CommandGroup): command is CommandGroup {
  return 'commands' in command;
}
