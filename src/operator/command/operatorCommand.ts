import { type Command, FORMAT, type Options, type SettingsOf } from '../../program/command.ts';
import { ExitError, UsageError } from '../../program/ExitError.ts';
import { chooseFormat, inFile, print, printedText, writeFile, type Printable } from '../../program/print.ts';
import { openTerminal, type Terminal } from '../../program/terminal.ts';
import { CONNECTION, createConnection, readConnected, type Connection } from './connection.ts';
import { explainFailure } from './explainFailure.ts';
import { createProgress, type Progress } from '../../program/progress.ts';

/** What a command gets to work with. */
export interface CommandContext<All extends Options> {
  readonly settings: SettingsOf<All & typeof FORMAT>;
  /** The words after the command's name. */
  readonly words: readonly string[];
  readonly terminal: Terminal;
  readonly connection: Connection;
  readonly progress: Progress;
  /** Ends the progress, and prints data as --json, --csv and --output say. */
  print(data: Printable): void;
}

/** An operator command: its own options; connection and format are added. */
export interface OperatorCommand<All extends Options> extends Pick<Command, 'summary' | 'usage'> {
  readonly maxWords?: number | undefined;
  readonly options: All;
  readonly examples: NonNullable<Command['examples']>;
  run(context: CommandContext<All>): Promise<void>;
}

const ENVIRONMENT = `Set OFFERLET_NETWORK and OFFERLET_API_KEY to leave out --network and --api-key-file.
Data goes to stdout, everything else to stderr.
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 key refused, 4 not found, 5 some items failed,
6 watch found something. With --json, stderr has { "error": { code, message, hint, exit } }.`;

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
      let progress: Progress | undefined;
      let keySource: string | undefined;
      try {
        const call = readConnected(options, { argv, env, maxWords: command.maxWords });
        const { network, 'api-key-file': keyFile } = call.settings as SettingsOf<typeof CONNECTION>;
        const settings = call.settings as SettingsOf<All & typeof FORMAT>;
        const { output, ...flags } = settings as SettingsOf<typeof FORMAT> & { readonly output?: string };
        const format = chooseFormat({ ...flags, output });
        if (flags.json && flags.csv) throw new UsageError('Use either --json or --csv.');
        const people = openTerminal({ env });
        // What notes say is in the document; stderr is left for an error, which is JSON as well.
        const terminal = flags.json ? { ...people, note: () => undefined } : people;
        const steps = (progress = createProgress(terminal));
        const connection = createConnection({ network, keyFile, env, progress: steps, note: people.note });
        ({ keySource } = connection);
        await command.run({
          settings,
          words: call.words,
          terminal,
          connection,
          progress: steps,
          print(data) {
            steps.end();
            if (output === undefined) print(data, { format, terminal });
            else writeFile(output, printedText(data, { format, terminal: inFile(terminal) }));
          },
        });
      } catch (error) {
        throw error instanceof UsageError || error instanceof ExitError ? error : explainFailure(error, keySource);
      } finally {
        progress?.end();
      }
    },
  };
}

/** Returns the one word that a command requires. */
export function requireWord(words: readonly string[], what: string): string {
  const [word] = words;
  if (word === undefined || word.trim() === '')
    throw new UsageError(`${what} is missing. Use --help to see an example.`);
  return word;
}
