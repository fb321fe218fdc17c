import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { openRecordsFile } from '../../src/cli/openRecordsFile.ts';
import type * as promises from 'node:fs/promises';
import { makeFolder } from '../fixtures/makeFolder.ts';

const disk = vi.hoisted(() => ({ write: undefined as ((text: string) => Promise<string>) | undefined }));
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof promises>();
  const appendFile = async (path: string, text: string): Promise<void> => {
    const taken = disk.write ? await disk.write(text) : text;
    await real.appendFile(path, taken);
    if (taken !== text) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  };
  return { ...real, appendFile };
});
afterEach(() => (disk.write = undefined));

const linesOf = async (path: string): Promise<string[]> => (await readFile(path, 'utf8')).trimEnd().split('\n');

test('after a disk that was full, no record continues half of another', async () => {
  const path = join(makeFolder(), 'records.jsonl');
  const records = openRecordsFile(path);
  await records.add({ at: 1 });
  disk.write = async (text) => text.slice(0, 4);
  await expect(records.add({ at: 2 })).rejects.toThrow('ENOSPC');
  disk.write = undefined;
  await records.add({ at: 3 });
  await records.add({ at: 4 });
  expect(await linesOf(path)).toEqual(['{"at":1}', '{"at', '{"at":3}', '{"at":4}']);
});

test('a file that is moved away is begun anew', async () => {
  const path = join(makeFolder(), 'records.jsonl');
  const records = openRecordsFile(path);
  await records.add({ at: 1 });
  await rename(path, `${path}.1`);
  await records.add({ at: 2 });
  await records.close();
  expect([await linesOf(`${path}.1`), await linesOf(path)]).toEqual([['{"at":1}'], ['{"at":2}']]);
});

test('while a disk hangs, records do not fill the memory, however long they are', async () => {
  const records = openRecordsFile(join(makeFolder(), 'records.jsonl'));
  disk.write = () => new Promise(() => undefined);
  const text = 'x'.repeat(1024 * 1024);
  void records.add({ text }); // is being written
  await new Promise((resolve) => setTimeout(resolve));
  const all = Array.from({ length: 64 }, () => records.add({ text }));
  await expect(Promise.race(all)).rejects.toThrow('67108864 characters wait for the disk');
});
