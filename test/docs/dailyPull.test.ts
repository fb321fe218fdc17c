import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { ReportingClient } from '../../src/operator.ts';
import { addDays } from '../../src/wire/utcDates.ts';
import { useOperatorWorld } from '../operator/operatorWorld.ts';
import { codeBlocks, pageAt } from './pages.ts';

// The program of docs/operators/clients.md, run on two days against the whole sandbox network and a database file.

const world = useOperatorWorld();
const code = codeBlocks(pageAt('docs/operators/clients.md')).find(({ code }) => code.includes('sqlite3'))?.code ?? '';
const hasSqlite = spawnSync('sqlite3', ['--version']).status === 0;

async function pull(file: string): Promise<string> {
  const AsyncFunction = (async () => undefined).constructor as FunctionConstructor;
  const said = vi.fn<(line: string) => void>();
  const env = { OFFERLET_NETWORK: world.url, OFFERLET_API_KEY: world.key, REPORTS: file };
  const uses = { ReportingClient, execFileSync, process: { env }, console: { log: said } };
  const body = code.replaceAll(/^import .*$/gm, '');
  await (new AsyncFunction(...Object.keys(uses), body)(...Object.values(uses)) as Promise<void>);
  return said.mock.calls[0]?.[0] ?? '';
}

test.runIf(hasSqlite)('the daily pull has what the network has, and reads only what has changed', async () => {
  const file = join(world.folder, 'reports.db');
  const today = new Date().toISOString().slice(0, 10);
  const stored = () =>
    execFileSync('sqlite3', [file, 'SELECT count(*), sum(clicks) FROM report'], { encoding: 'utf8' });
  const raw = async () => {
    const metrics = 'impressions,clicks,conversions,channel_payout';
    const dates = { from: addDays(today, -30), to: today };
    const rows = await world.raw({ ...dates, metrics, time_grain: 'day', group_by: 'publisher' });
    return `${rows.length}|${rows.reduce((sum, row) => sum + Number(row['clicks']), 0)}\n`;
  };
  expect(await pull(file)).toMatch(/^\d{3} rows; \d+ clicks in all, data through \d{4}-/);
  expect(stored()).toBe(await raw());
  expect(await pull(file)).toMatch(/^0 rows; /);
  await world.activity([{ day: addDays(today, -20), clicks: 7 }]);
  expect(await pull(file)).toMatch(/^1\d rows; /);
  expect(stored()).toBe(await raw());
});
