import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { ChannelClient } from '../../../src/operator.ts';
import { useOperatorWorld } from '../operatorWorld.ts';
import type { Ran, RunOptions } from '../../fixtures/runCommand.ts';

// An import of 500 publishers.

const ADD = '/adnet/publishers/add/';
const ROWS = 500;

const world = useOperatorWorld('empty');

beforeEach(async () => {
  await world.control('DELETE', 'faults');
});

async function script(fault: object): Promise<void> {
  await world.control('POST', 'faults', { route: ADD, ...fault });
}

function add(args: readonly string[], options?: RunOptions): Promise<Ran> {
  return world.run(['publishers', 'add', ...args], options);
}

/** A CSV file as a spreadsheet in Europe writes it: semicolons, a byte order mark, quoted names, CRLF. */
async function fileOf(prefix: string, extra: readonly string[] = []): Promise<string> {
  const channel = new ChannelClient({ networkUrl: world.url, apiKey: world.key });
  const [category] = await channel.categories();
  const row = (index: number): string =>
    `"${prefix} ""${index}""";${prefix}-${index}.example;${category?.name};${category?.subcategories[0]?.name}`;
  const rows = Array.from({ length: ROWS }, (_, index) => row(index));
  const path = join(world.folder, `${prefix}.csv`);
  const header = 'brand_name;domain;primary_category_id;subcategory_ids';
  writeFileSync(path, `\uFEFF${[header, ...rows, ...extra].join('\r\n')}\r\n`);
  return path;
}

async function counts(args: readonly string[], options?: RunOptions): Promise<object> {
  const { stdout } = await add([...args, '--json'], options);
  return (JSON.parse(stdout) as { counts: object }).counts;
}

async function total(query: string): Promise<number> {
  const channel = new ChannelClient({ networkUrl: world.url, apiKey: world.key });
  return (await channel.publishers({ q: query, pageSize: 1 })).count;
}

test('500 publishers are added in batches, through 429, 503 and a lost response; run again, all are duplicates', async () => {
  await script({ status: 429, headers: { 'retry-after': '1' }, times: 3 });
  await script({ status: 503, times: 1 });
  await script({ drop_connection: true, after_commit: true, times: 1 });
  const path = await fileOf('alpha');
  // A response that was lost is fetched again.
  expect(await counts([path])).toEqual({ added: ROWS - 50, duplicate: 50 });
  expect(await total('alpha')).toBe(ROWS);
  expect(await counts([path])).toEqual({ duplicate: ROWS });
  expect(await total('alpha')).toBe(ROWS);
});

test('invalid rows are named with their line and reason, the others are added: code 5', async () => {
  const path = await fileOf('delta', ['No Domain;;Nowhere;Nothing', 'Typo;typo.example;Nowhere;Nothing']);
  const { code, stdout, stderr } = await add([path, '--csv']);
  expect(code).toBe(5);
  expect(stdout.split('\r\n').filter((line) => line.includes(',invalid,'))).toEqual([
    `${ROWS + 2},invalid,No Domain,,Nowhere,Nothing,,domain is missing`,
    `${ROWS + 3},invalid,Typo,typo.example,Nowhere,Nothing,,"primary_category_id is not a category: ""Nowhere""."`,
  ]);
  // Where it takes long, its progress comes first.
  expect(stderr.trimEnd().split('\n').slice(-2)).toEqual([
    `${ROWS + 2} publishers: ${ROWS} added, 2 invalid.`,
    `offerlet: 2 of ${ROWS + 2} publishers are invalid. Correct them and run the command again.`,
  ]);
});

test('what failed is written down, corrected and sent', async () => {
  const channel = new ChannelClient({ networkUrl: world.url, apiKey: world.key });
  const [category] = await channel.categories();
  const list = `brand_name,domain,category,subcategory\n=Plus,plus..example,${category?.name},${category?.subcategories[0]?.name}\n`;
  const { stdout, code } = await add(['-', '--failures', '--csv'], { input: list });
  expect([code, stdout]).toEqual([5, expect.stringContaining("'=Plus,plus..example") as string]);
  expect(await counts(['-'], { input: stdout.replace('plus..', 'plus.') })).toEqual({ added: 1 });
  const { publishers } = await channel.publishers({ q: 'Plus' });
  expect(publishers[0]?.brand_name).toBe('=Plus');
});

test('JSON Lines come from a pipe; anything else is code 2', async () => {
  const channel = new ChannelClient({ networkUrl: world.url, apiKey: world.key });
  const [category] = await channel.categories();
  const item = (name: string): string =>
    JSON.stringify({
      brand_name: name,
      domain: `${name}.example`,
      primary_category_id: category?.remote_id,
      subcategory_ids: [category?.subcategories[0]?.remote_id],
    });
  expect(await counts(['-'], { input: `${item('foxtrot')}\n\n${item('golf')}\n` })).toEqual({ added: 2 });
  for (const input of ['', '{"brand_name"', 'name,website\nx,y\n', '[1]'])
    expect(await add([], { input })).toMatchObject({ code: 2, stdout: '' });
});

test('after Ctrl-C, what was in flight is unknown and may be there, and the rest was not sent', async () => {
  await script({ delay_ms: 1_500, times: 20 });
  const path = await fileOf('kilo');
  const isBegun = vi.waitUntil(async () => (await total('kilo')) > 0, { timeout: 60_000 });
  const interrupted = { interruptAfter: isBegun };
  const { code, stdout } = await world.runProcess(['publishers', 'add', path, '--json'], interrupted);
  expect(code).toBe(130);
  const { counts: found } = JSON.parse(stdout) as { counts: Record<string, number> };
  expect(found).toMatchObject({ unknown: 50 });
  expect(Object.values(found).reduce((sum, count) => sum + count, 0)).toBe(ROWS);
  await world.control('DELETE', 'faults');
  const again = (await counts([path])) as { added: number; duplicate: number };
  // The 50 may have been added or not; the second run says.
  expect([found['added'] ?? 0, (found['added'] ?? 0) + 50]).toContain(again.duplicate);
  expect([again.added + again.duplicate, await total('kilo')]).toEqual([ROWS, ROWS]);
});

test('names are never damaged: Windows-1252 has to be named, UTF-16 is recognized', async () => {
  const channel = new ChannelClient({ networkUrl: world.url, apiKey: world.key });
  const [category] = await channel.categories();
  const text = `brand_name,domain,primary_category,subcategories\nMüller,mueller.example,${category?.name},${category?.subcategories[0]?.name}\n`;
  const path = join(world.folder, 'latin.csv');
  writeFileSync(path, text, 'latin1');
  const refused = await add([path]);
  expect([refused.code, refused.stderr]).toEqual([
    2,
    `offerlet: "${path}" is not UTF-8. As Windows-1252, which spreadsheets write, it has "Müller". If that is right, use --encoding windows-1252; otherwise save it as UTF-8.\n`,
  ]);
  const dry = await add([path, '--encoding', 'windows-1252', '--dry-run', '--json']);
  expect(JSON.parse(dry.stdout)).toMatchObject({ results: [{ brand_name: 'Müller', status: 'valid' }] });
  writeFileSync(path, `\uFEFF${text}`, 'utf16le');
  expect(await counts([path])).toEqual({ added: 1 });
  expect(await total('Müller')).toBe(1);
});

test('the dry run finds what the run would: twice in the file, there already, a line that is too wide', async () => {
  const path = await fileOf('mike', ['Sa\u0007lt;salt.example;X;Y', 'Salt; Pepper;salt.example;X;Y']);
  const dryRun = async (): Promise<{ counts: object; results: { reason: string | null }[] }> =>
    JSON.parse((await add([path, '--dry-run', '--json'])).stdout) as never;
  const dry = await dryRun();
  expect(dry.counts).toEqual({ valid: ROWS, invalid: 2 });
  expect(dry.results.at(-2)?.reason).toBe('brand_name has control characters');
  expect(dry.results.at(-1)?.reason).toContain('the line has 5 cells, the header 4');
  expect(await counts([path])).toEqual({ added: ROWS, invalid: 2 });
  expect((await dryRun()).results[0]?.reason).toMatch(/^the name is there since \d{4}-\d\d-\d\d \(PENDING\)/);
});
