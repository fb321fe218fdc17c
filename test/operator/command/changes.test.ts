import { appendFileSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { useOperatorWorld } from '../operatorWorld.ts';
import type { Ran } from '../../fixtures/runCommand.ts';

// Exclusions are added, removed, replaced and taken back; each change is in the log of the account.

const world = useOperatorWorld();
const inTerminal = { columns: 100, env: { TERM: 'xterm', NO_COLOR: '1' } } as const;

beforeEach(async () => {
  await world.run('exclusions set --clear --yes');
});

async function excluded(): Promise<string[]> {
  const { stdout } = await world.run('exclusions show --csv');
  return stdout
    .trimEnd()
    .split('\r\n')
    .slice(1)
    .map((line) => line.split(',')[1] ?? '')
    .toSorted();
}

function logged(): Record<string, unknown>[] {
  const lines = readFileSync(join(world.folder, '.local/state/offerlet/changes.jsonl'), 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

test('add keeps what is excluded, remove takes away what is named, and both are idempotent', async () => {
  await world.run('exclusions add Wine');
  await world.run('exclusions add Coffee Wine');
  expect(await excluded()).toEqual(['Food & Drink / Coffee', 'Food & Drink / Wine']);
  const lines = logged().length;
  expect(await world.run('exclusions add Coffee')).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('0 added, 0 removed, 2 excluded') as string,
  });
  // What changes nothing is not sent.
  expect(logged()).toHaveLength(lines);
  await world.run('exclusions remove Wine');
  await world.run('exclusions remove Wine');
  expect(await excluded()).toEqual(['Food & Drink / Coffee']);
});

test('a whole category is one word, and a name of both kinds is ambiguous', async () => {
  await world.run('exclusions add "Food & Drink"');
  const all = await excluded();
  expect(all.length).toBeGreaterThan(3);
  expect(all.every((name) => name.startsWith('Food & Drink / '))).toBe(true);
  await world.run('exclusions remove "food & drink / *"');
  expect(await excluded()).toEqual([]);
  expect(await world.run('exclusions add "Nothing / *"')).toMatchObject({ code: 2 });
});

test('set shows what it would drop and asks; without a terminal it requires --yes', async () => {
  await world.run('exclusions set Wine Coffee');
  const refused = await world.run('exclusions set Wine');
  expect([refused.code, refused.stdout]).toEqual([2, '']);
  expect(refused.stderr).toContain('allows again what is excluded now: Food & Drink / Coffee');
  const no = await world.runProcess('exclusions set Wine', { ...inTerminal, input: 'n\n' });
  expect([no.code, no.stdout]).toEqual([1, expect.stringContaining('Nothing was changed.') as string]);
  expect(await excluded()).toHaveLength(2);
  expect(await world.run('exclusions set Wine', { ...inTerminal, input: 'y\n' })).toMatchObject({ code: 0 });
  expect(await excluded()).toEqual(['Food & Drink / Wine']);
  // Nothing is dropped, so nothing is asked.
  expect(await world.run('exclusions set Wine Coffee')).toMatchObject({ code: 0 });
});

test('a list comes from stdin with --file -', async () => {
  expect(await world.run('exclusions add --file -', { input: 'Wine\nCoffee\n' })).toMatchObject({ code: 0 });
  expect(await excluded()).toHaveLength(2);
});

test('a part of a publisher’s name writes nothing before people have confirmed whose it is', async () => {
  const { brand_name, publisher_remote_id } = world.network.describe().publisher;
  const part = brand_name.slice(0, -1);
  const refused = await world.run(`exclusions add Wine --publisher "${part}"`);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(`"${brand_name}"`) as string]);
  expect(await world.run(`exclusions show --publisher "${part}" --json`)).toMatchObject({
    stdout: expect.stringContaining('"publisher": []') as string,
    stderr: expect.stringContaining(brand_name) as string,
  });
  const asked = await world.run(`exclusions add Wine --publisher "${part}"`, { ...inTerminal, input: 'y\n' });
  expect([asked.code, asked.stdout]).toEqual([0, expect.stringContaining(`"${brand_name}"`) as string]);
  // The whole name and the id are enough.
  expect(await world.run(`exclusions remove Wine --publisher "${brand_name}"`)).toMatchObject({ code: 0 });
  expect(await world.run(`exclusions add Wine --publisher ${publisher_remote_id}`)).toMatchObject({ code: 0 });
  expect(await world.run(`exclusions set --clear --yes --publisher "${part}"`)).toMatchObject({ code: 0 });
});

test('a report names its filters, whatever part of a name was given', async () => {
  const { brand_name } = world.network.describe().publisher;
  const { stderr } = await world.run(
    `report --filter "publisher=${brand_name.slice(0, -1)}" --filter page_type=THANK_YOU --metrics clicks`,
  );
  expect(stderr).toContain(`only ${brand_name}, THANK_YOU`);
});

test('each change is logged with its beginning and its end, for this account only, without the key', async () => {
  await world.run('exclusions add Wine');
  const path = join(world.folder, '.local/state/offerlet/changes.jsonl');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const [begun, ended] = logged().slice(-2);
  expect(begun).toMatchObject({
    action: 'exclusions',
    from: 'command',
    network: world.url,
    environment: 'staging',
    channel: 'Demo Channel',
    publisher: null,
    before: [],
    after: [expect.any(String)],
    by: expect.stringContaining('@') as string,
  });
  expect(ended).toMatchObject({ id: begun?.['id'], outcome: 'done' });
  expect(readFileSync(path, 'utf8')).not.toContain(world.key);
  // A line that a full disk has cut does not spoil the next one.
  const elsewhere = { HOME: join(world.folder, 'cut') };
  await world.run('exclusions remove Wine', { env: elsewhere });
  appendFileSync(join(world.folder, 'cut/.local/state/offerlet/changes.jsonl'), '{"id":"cut');
  await world.run('exclusions add Coffee', { env: elsewhere });
  const { stdout } = await world.run('changes --json', { env: elsewhere });
  expect((JSON.parse(stdout) as { changes: object[] }).changes).toMatchObject([
    { outcome: 'done', before: [] },
    { outcome: 'done', after: [] },
  ]);
});

test('a change that the network refuses is logged as failed, one without a response as unknown', async () => {
  for (const [status, outcome] of [
    [400, 'failed'],
    [500, 'unknown'],
  ] as const) {
    await world.control('POST', 'faults', { route: '/adnet/channel/exclusions/', status, times: 9 });
    expect(await world.run('exclusions add Wine')).toMatchObject({ code: 1 });
    await world.control('DELETE', 'faults');
    const { changes } = JSON.parse((await world.run('changes --limit 1 --json')).stdout) as { changes: object[] };
    expect(changes[0]).toMatchObject({ outcome });
  }
});

test('without a log that can be written, nothing is changed', async () => {
  const ran = await world.run('exclusions add Wine', { env: { XDG_STATE_HOME: '/dev/null' } });
  expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining('Nothing was changed') as string]);
  expect(await excluded()).toEqual([]);
});

test('eight processes at once write whole lines', async () => {
  const before = logged().length;
  const runs = ['Wine', 'Coffee', 'Tea', 'Snacks'].flatMap((name) => [`add ${name}`, `remove ${name}`]);
  const ran: Ran[] = await Promise.all(runs.map((words) => world.runProcess(`exclusions ${words}`)));
  const lines = logged().slice(before); // each parses
  const begun = lines.filter((line) => 'action' in line);
  expect(lines).toHaveLength(2 * begun.length);
  // Some are refused because another was quicker; none is lost silently.
  for (const { code, stderr } of ran)
    if (code !== 0) expect(stderr).toMatch(/Somebody has changed|is not a subcategory/);
});

test('undo takes the latest change back, shows it first, and can be taken back itself', async () => {
  await world.run('exclusions add Wine');
  await world.run('exclusions add Coffee');
  expect(await world.run('exclusions undo')).toMatchObject({ code: 2 });
  const dry = await world.run('exclusions undo --dry-run');
  expect([dry.code, dry.stdout]).toEqual([0, expect.stringMatching(/- +Food & Drink \/ Coffee/) as string]);
  expect(await world.run('exclusions undo', { ...inTerminal, input: 'y\n' })).toMatchObject({ code: 0 });
  expect(await excluded()).toEqual(['Food & Drink / Wine']);
  // The next one before that.
  await world.run('exclusions undo --yes');
  expect(await excluded()).toEqual([]);
  const { changes } = JSON.parse((await world.run('changes --limit 1 --json')).stdout) as {
    changes: { id: string; undoes: string }[];
  };
  await world.run(`exclusions undo ${changes[0]?.id ?? ''} --yes`);
  expect(await excluded()).toEqual(['Food & Drink / Wine']);
});

test('undo refuses when somebody has changed the list since, and says what', async () => {
  await world.run('exclusions add Wine');
  const elsewhere = { HOME: join(world.folder, 'somebody') };
  await world.run('exclusions add Coffee', { env: elsewhere });
  const { code, stderr } = await world.run('exclusions undo --yes');
  expect([code, stderr]).toEqual([1, expect.stringContaining('Food & Drink / Coffee is excluded now') as string]);
  expect(await excluded()).toHaveLength(2);
  // A change of another account is not one of this account.
  expect(await world.run('exclusions undo nothing', { env: elsewhere })).toMatchObject({ code: 4 });
});

test('added publishers are logged with their names, and --failures prints the others only', async () => {
  const list =
    'brand_name,domain,primary_category_id,subcategory_ids\nQuiet Otter,otter.example,Food & Drink,Coffee\nBad,bad,Food & Drink,Coffee\n';
  const { code, stdout, stderr } = await world.run('publishers add - --failures --csv', { input: list });
  expect([code, stdout.trimEnd().split('\r\n')]).toEqual([
    5,
    [expect.anything(), expect.stringContaining('3,invalid,Bad')],
  ]);
  expect(stderr).toContain('2 publishers: 1 added, 1 invalid.');
  expect(stderr).toContain('1 of 2 publishers is invalid. Correct it');
  expect(logged().at(-2)).toMatchObject({ action: 'publishers added', after: [{ brand_name: 'Quiet Otter' }] });
  const header = await world.run('publishers add -', { input: list.split('\n')[0] ?? '' });
  expect([header.code, header.stderr]).toEqual([2, expect.stringContaining('no publishers below it') as string]);
});

test('a list without end is refused, not read until the memory is full', async () => {
  const { code, stderr } = await world.runProcess('publishers add -', { input: 'x'.repeat(33 * 1024 * 1024) });
  expect([code, stderr]).toEqual([2, expect.stringContaining('more than 32 MiB') as string]);
});

test.each([40, 80])('in %i columns ids are whole, and what has no room is named', async (columns) => {
  for (const args of [
    'publishers list',
    'exclusions add Wine',
    'categories list',
    'changes',
    'report --by publisher',
  ]) {
    const { stdout } = await world.run(args, { columns, env: { TERM: 'xterm', NO_COLOR: '1' } });
    const header = stdout.split(/\r?\n/).find((line) => /^ *[A-Z]{2}/.test(line)) ?? '';
    const all = (await world.run(args)).stdout.split('\n')[0] ?? '';
    // Each column is there, or is named below the table; a report names the number of metrics.
    for (const name of all.split(/ {2,}/).filter((word) => word !== '')) {
      const metrics = /Too narrow for \d+ of \d+ metrics/.test(stdout) && /^[a-z]/.test(name);
      expect(metrics || stdout.includes(name), `${args}: ${name} in ${header}`).toBe(true);
    }
    if (args === 'publishers list') expect(stdout).toMatch(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/);
  }
});
