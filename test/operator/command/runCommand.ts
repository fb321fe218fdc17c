import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { type Program, runCommands, runProgram } from '../../../src/cli/runCommands.ts';

/** What became of a command. */
export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** How a command is run. */
export interface RunOptions {
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly input?: string | undefined;
  /** Runs in a terminal of that many columns: stdout gets stderr as well. */
  readonly columns?: number | undefined;
}

/** How a process is run. */
export interface ProcessOptions extends RunOptions {
  /** The file that Node runs. */
  readonly file: string;
  /** Ends the process with SIGKILL after that time. */
  readonly killAfter?: number | undefined;
  /** Sends SIGINT, as Ctrl-C does, after that time. */
  readonly interruptAfter?: number | undefined;
}

/** Where changes are logged: never in the account that runs the tests. */
const HOME = mkdtempSync(join(tmpdir(), 'offerlet-home-'));
process.once('exit', () => rmSync(HOME, { recursive: true, force: true }));

/** All that a command finds in the environment. */
function environment(env: RunOptions['env']): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8', HOME, ...env };
}

let isRunning = false;

/**
 * Runs a command in this process, which lends it its streams, arguments and environment, and returns what a process of it
 * would end with. One at a time.
 */
export async function runCommand(
  program: Pick<Program, 'name' | 'commands'>,
  args: readonly string[],
  { env, input = '', columns }: RunOptions = {},
): Promise<Ran> {
  if (isRunning) throw new Error('Only processes run at the same time: use runProcess.');
  isRunning = true;
  const isTTY = columns !== undefined;
  const written = { stdout: '', stderr: '' };
  const streamTo = (name: keyof typeof written): Writable =>
    Object.assign(
      new Writable({
        decodeStrings: false,
        write(text, _, done) {
          written[name] += String(text);
          done();
        },
      }),
      { isTTY, columns },
    );
  let exit: (code: number) => void = () => undefined;
  const ended = new Promise<number>((resolve) => (exit = resolve));
  const lent = {
    stdin: Object.assign(new PassThrough().end(input), { isTTY }),
    stdout: streamTo('stdout'),
    stderr: streamTo(isTTY ? 'stdout' : 'stderr'),
    env: environment(env),
    argv: [process.execPath, program.name, ...args],
    exit,
  };
  const own = Object.keys(lent).map((name) => [name, Object.getOwnPropertyDescriptor(process, name)] as const);
  for (const [name, value] of Object.entries(lent)) Object.defineProperty(process, name, { value, configurable: true });
  runProgram((argv) => runCommands({ about: '', ...program }, argv));
  const code = await ended;
  for (const [name, descriptor] of own) Object.defineProperty(process, name, descriptor ?? {});
  isRunning = false;
  return { code, ...written };
}

/** Runs the command as a process to its end, with nothing in the environment but the path and `env`. */
export function runProcess(args: readonly string[], options: ProcessOptions): Promise<Ran> {
  const { file, env, input = '', columns, killAfter, interruptAfter } = options;
  const words = [process.execPath, file, ...args];
  const [program, ...rest] = columns === undefined ? words : inTerminal(words, columns);
  return new Promise((resolve, reject) => {
    const child = spawn(program ?? '', rest, { env: environment(env), detached: killAfter !== undefined });
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
