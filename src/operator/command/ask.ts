import { createInterface } from 'node:readline/promises';
import { EXIT, ExitError, UsageError } from '../../cli/ExitError.ts';
import type { Terminal } from '../../cli/output/terminal.ts';

/** Asks on stderr and returns what was typed; nothing when the input has ended. */
export async function ask(question: string): Promise<string> {
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new Promise<string>((resolve) => prompt.once('close', () => resolve('')));
  const typed = await Promise.race([prompt.question(question), closed]);
  prompt.close();
  return typed.trim();
}

/** Asks whether to go on. Throws unless the response is yes, and without a terminal, where nobody can respond. */
export async function askToGoOn(terminal: Terminal, why: string): Promise<void> {
  if (!terminal.canAsk) throw new UsageError(`${why} Without a terminal, the command cannot ask: use --yes to go on.`);
  terminal.note(why);
  if (!/^y(es)?$/i.test(await ask('Go on? [y/N] '))) throw new ExitError('Nothing was changed.', EXIT.failed);
}
