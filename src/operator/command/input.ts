import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { EXIT, ExitError, UsageError } from '../../program/ExitError.ts';
import type { Terminal } from '../../program/terminal.ts';

/** Bytes of a list: more publishers than any network has. */
const INPUT_MAX_BYTES = 32 * 1024 * 1024;

/** Returns the bytes of a file, or of stdin for `-`. Throws a `UsageError` that names the option or argument. */
export async function readInput(path: string, name: string): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of path === '-' ? process.stdin : createReadStream(path)) {
      size += (chunk as Buffer).length;
      if (size > INPUT_MAX_BYTES) throw Object.assign(new Error('too large'), { code: 'it has more than 32 MiB' });
      chunks.push(chunk as Buffer);
    }
    return Buffer.concat(chunks);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'it is a directory' : code;
    throw new UsageError(`${name} cannot be read: "${path}" (${reason ?? String(error)}).`);
  }
}

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
