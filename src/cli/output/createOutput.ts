import { documentWithoutControls } from './displayWidth.ts';
import { printableJson, withoutCommands } from '../../http/printable.ts';

/** The output of a command: text for people, one line of JSON for programs, and a log. */
export interface Output {
  /** Prints a line for people; nothing with --json. */
  say(line: string): void;
  /** Prints a line of JSON with --json; nothing without. */
  json(value: object): void;
  /** Prints a log line to stderr. */
  log(entry: object | string): void;
}

/** Creates the output on this process's streams. */
export function createOutput(options: { json: boolean }): Output {
  const printable = (text: string): string => withoutCommands(documentWithoutControls(text));
  return {
    say: (line) => void (options.json || process.stdout.write(`${printable(line)}\n`)),
    json: (value) => void (options.json && process.stdout.write(`${printableJson(value)}\n`)),
    log: (entry) =>
      void process.stderr.write(`${typeof entry === 'string' ? printable(entry) : printableJson(entry)}\n`),
  };
}
