import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readFreshDatabase, unpack, openPglite } from '../../../src/network/database/pglite.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'offerlet-fresh-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test('a tar file is unpacked as tar does, over what an interrupted start has left', () => {
  const source = join(directory, 'source');
  mkdirSync(join(source, 'base/empty'), { recursive: true });
  writeFileSync(join(source, 'base/none'), '');
  writeFileSync(join(source, 'PG_VERSION'), '18\n');
  writeFileSync(join(source, 'base/block'), Buffer.alloc(512, 'x'));
  writeFileSync(join(source, 'base/more'), Buffer.alloc(70_001, 'é'));
  const tar = execFileSync('tar', ['--format=ustar', '-cf', '-', '-C', source, 'PG_VERSION', 'base']);
  const target = join(directory, 'target');
  mkdirSync(`${target}.new/stale`, { recursive: true });
  unpack(tar, target);
  for (const path of ['PG_VERSION', 'base/none', 'base/block', 'base/more'])
    expect(readFileSync(join(target, path)).equals(readFileSync(join(source, path))), path).toBe(true);
  expect(statSync(join(target, 'base/empty')).isDirectory()).toBe(true);
  expect(statSync(join(target, 'PG_VERSION')).mode & 0o777).toBe(0o600);
  expect([existsSync(`${target}.new`), existsSync(join(target, 'stale'))]).toEqual([false, false]);
});

// `npm test` builds first; a clone that was never built makes its databases itself, as start.test.ts sees.
test.runIf(readFreshDatabase())(
  'the fresh database of the build is a database, in a directory and in memory',
  async () => {
    for (const place of [undefined, join(directory, 'database')]) {
      const db = await openPglite(place);
      expect(await db.query('SELECT count(*) AS tables FROM pg_tables WHERE schemaname = $1', ['public'])).toEqual([
        { tables: 0 },
      ]);
      await db.close();
    }
    const again = await openPglite(join(directory, 'database'));
    expect(await again.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await again.close();
  },
);
