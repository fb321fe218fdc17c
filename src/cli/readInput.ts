import { readFileSync } from 'node:fs';
import { UsageError } from './UsageError.ts';

/** Returns the text of a file, or of stdin for `-`. Throws a `UsageError` that names the option or argument. */
export async function readInput(path: string, name: string): Promise<string> {
  try {
    return path === '-' ? await readStdin() : readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'it is a directory' : code;
    throw new UsageError(`${name} cannot be read: "${path}" (${reason ?? String(error)}).`);
  }
}

async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
