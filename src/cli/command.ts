import type { Options } from './options.ts';
import type { SettingsSource } from './readSettings.ts';

/** One command of a program. */
export interface Command {
  /** One sentence for `--help`. */
  readonly summary: string;
  readonly options: Options;
  /** Runs until the command is done or stopped. Throws a `UsageError` when it was called wrongly. */
  run(source: SettingsSource): Promise<void>;
}
