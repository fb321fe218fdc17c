/** Where a command writes: what it has to say to people, the one JSON line for programs, and its log. */
export interface Console {
  /** For people; silent with --json. */
  say(line: string): void;
  /** The first line of output with --json. */
  json(value: object): void;
  /** One line of log on stderr. */
  log(entry: object | string): void;
}

/** A console on this process's streams. */
export function createConsole(options: { json: boolean }): Console {
  return {
    say: (line) => void (options.json || process.stdout.write(`${line}\n`)),
    json: (value) => void (options.json && process.stdout.write(`${JSON.stringify(value)}\n`)),
    log: (entry) => void process.stderr.write(`${typeof entry === 'string' ? entry : JSON.stringify(entry)}\n`),
  };
}
