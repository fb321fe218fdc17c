import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What became of a command. */
export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** How a command is run. */
export interface RunOptions {
  /** The file that Node runs. */
  readonly file: string;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly input?: string | undefined;
  /** Runs in a terminal of that many columns, which gets stdout and stderr. */
  readonly columns?: number | undefined;
  /** Ends the process with SIGKILL after that time. */
  readonly killAfter?: number | undefined;
  /** Sends SIGINT, as Ctrl-C does, after that time. */
  readonly interruptAfter?: number | undefined;
}

/** Where changes are logged: never in the account that runs the tests. */
const HOME = mkdtempSync(join(tmpdir(), 'offerlet-home-'));
process.once('exit', () => rmSync(HOME, { recursive: true, force: true }));

/** Runs the command to its end, with nothing in the environment but the path and `env`. */
export function runCommand(args: readonly string[], options: RunOptions): Promise<Ran> {
  const { file, env = {}, input = '', columns, killAfter, interruptAfter } = options;
  const words = [process.execPath, file, ...args];
  const [program, ...rest] = columns === undefined ? words : inTerminal(words, columns);
  return new Promise((resolve, reject) => {
    const child = spawn(program ?? '', rest, {
      env: { PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8', HOME, ...env },
      detached: killAfter !== undefined,
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
    child.stdin.on('error', () => undefined).end(input);
    if (interruptAfter !== undefined) setTimeout(() => child.kill('SIGINT'), interruptAfter);
    if (killAfter !== undefined) setTimeout(() => child.kill('SIGKILL'), killAfter);
  });
}

/** util-linux `script` gives a process a terminal. */
function inTerminal(words: readonly string[], columns: number): string[] {
  const quoted = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  return ['script', '-qec', `stty cols ${columns} rows 50; ${quoted}`, '/dev/null'];
}
