// A plain Node.js process with a session on files. It says when accept() has resolved, and then waits to be killed.
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const [, , script, relay, directory] = process.argv;
for (const name of ['window', 'document', 'indexedDB', 'localStorage', 'navigator', 'BroadcastChannel'])
  Reflect.deleteProperty(globalThis, name);
// Twice half a second without storage means events in memory, and a busy machine takes as long for a few files.
const start = globalThis.setTimeout;
globalThis.setTimeout = (work, ms, ...rest) => start(work, ms === 500 ? 60_000 : ms, ...rest);
const { openSession } = await import(script);

await mkdir(directory, { recursive: true });
const fileOf = (key) => join(directory, encodeURIComponent(key));
const storage = {
  getItem: (key) => readFile(fileOf(key), 'utf8').catch(() => null),
  async setItem(key, value) {
    const temporary = `${fileOf(key)}.${process.pid}`;
    await writeFile(temporary, value);
    await rename(temporary, fileOf(key));
  },
  removeItem: (key) => rm(fileOf(key), { force: true }),
};

const session = openSession({
  relay,
  storage,
  request: {
    user_details: { email_hash: 'a'.repeat(64) },
    placement_details: { view: 'THANK_YOU', display_mode: 'INLINE' },
  },
});
const { groups } = await session.result;
await session.accept(groups[0].offers[0]).stored;
process.stdout.write('accepted');
setInterval(() => {}, 1_000);
