import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ChannelClient } from '../../../src/operator/clients/ChannelClient.ts';
import { readExcludedPublishers } from '../../../src/operator/operations/excludeForMany.ts';
import { useOperatorWorld } from '../operatorWorld.ts';

const world = useOperatorWorld();
const read = () => readExcludedPublishers(new ChannelClient({ networkUrl: world.url, apiKey: world.key }));
const path = (name: string): string => join(world.folder, name);

test('a category is excluded for all publishers, after a dry run says for whom, and undone exactly', async () => {
  const [first] = await read();
  await world.run(`exclusions add Wine --publisher ${first?.id}`);
  const before = await read();
  const added = path('added.csv');
  const dry = await world.run(`exclusions add Wine Coffee --all --dry-run`);
  expect(dry.stdout.match(/^to add/gm)).toHaveLength(before.length * 2 - 1);
  expect(dry.stderr).toContain(`nothing was changed: ${before.length} of ${before.length} publishers`);
  expect(await read()).toEqual(before);
  expect(await world.run('exclusions add Wine --all')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('use --yes') as string,
  });
  expect(await world.run(`exclusions add Wine Coffee --all --yes --output ${added}`)).toMatchObject({ code: 0 });
  expect((await read()).every(({ subcategory_ids }) => subcategory_ids.length >= 2)).toBe(true);
  // The same file would forget what it undoes, even where nothing is left to change.
  for (const words of ['add Snacks --all --yes', 'add Wine Coffee --all --yes', 'add Tea --all --dry-run'])
    expect(await world.run(`exclusions ${words} --output ${added}`), words).toMatchObject({ code: 2 });
  const rows = readFileSync(added, 'utf8').split('\r\n');
  expect(rows.filter((row) => row.startsWith('added,'))).toHaveLength(before.length * 2 - 1);
  // What somebody excludes afterwards stays.
  await world.run(`exclusions add Tea --publisher ${first?.id}`);
  const undone = await world.run(`exclusions remove --undo ${added} --yes --json`);
  expect([undone.code, undone.stderr]).toEqual([0, '']);
  const [now, ...others] = await read();
  expect([now?.subcategory_ids.length, others]).toEqual([2, before.slice(1)]);
  // Doing it again changes nothing.
  expect((await world.run(`exclusions remove --undo ${added} --yes`)).code).toBe(0);
});

test('a file names publishers by id or name, and a name that is unknown is refused before anything changes', async () => {
  const before = await read();
  const [one, other] = before;
  const file = path('shops.csv');
  writeFileSync(file, `# mine\n${one?.id}\n"${other?.name.toUpperCase()}"\n`);
  const { stdout } = await world.run(`exclusions add Camping Hotels --publisher-file ${file} --dry-run --csv`);
  expect(stdout.split('\r\n').filter((line) => line.startsWith('to add'))).toHaveLength(4);
  writeFileSync(file, `change,publisher_id\nx,${one?.id}\nx,nobody\n`);
  expect(await world.run(`exclusions add Coffee --publisher-file ${file} --yes`)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('line 3: "nobody" is not an approved publisher') as string,
  });
  expect(await world.run('exclusions add Coffee --all --publisher x')).toMatchObject({ code: 2 });
  expect(await read()).toEqual(before);
});

test('what was added for the channel is undone from its file, and a dry run is not undone', async () => {
  const file = path('channel.json');
  await world.run(`exclusions add Coffee --output ${file} --dry-run`);
  await world.run('exclusions add Coffee');
  expect(await world.run(`exclusions remove --undo ${file}`)).toMatchObject({ code: 2 });
  await world.run(`exclusions add Coffee Wine --output ${file}`);
  expect(await world.run(`exclusions add Coffee Wine --output ${file}`)).toMatchObject({ code: 2 });
  expect((await world.run(`exclusions remove --undo ${file}`)).code).toBe(0);
  // What cannot be written could not be undone.
  expect((await world.run(`exclusions add Beer --output ${path('missing/beer.json')}`)).code).toBe(2);
  expect((await world.run('exclusions show --csv')).stdout).toMatch(/Coffee,channel\r\n$/);
});
