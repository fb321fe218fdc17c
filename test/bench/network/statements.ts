import type { Database, Parameter, Queries } from '../../../src/network/database/database.ts';
import type { Shown } from '../../network/testNetwork.ts';
import { BATCH, median, storeStraight } from './ingest.ts';

const ROUNDS = 30;

/** Runs statements of a transaction. */
type Run = (sql: string, params: readonly Parameter[]) => Promise<Record<string, unknown>[]>;

/** A database with only the statements of a transaction, which `run` runs. */
function fakeWith(run: Run): Database {
  const query = async <Row>(sql: string, params: readonly Parameter[] = []): Promise<Row[]> =>
    (await run(sql, params)) as Row[];
  const queries: Queries = { kind: 'postgres', query, hot: query, exec: async () => undefined };
  return {
    ...queries,
    transaction: (work) =>
      work({ ...queries, send: (sql, params = []) => void run(sql, params), afterCommit: async () => [] }),
    close: async () => undefined,
  };
}

/** A database that stores nothing and says of every event that it is new. */
export function fakeDatabase(): Database {
  return fakeWith(async (sql, params) => allNew(sql, params));
}

/** What the database returns if all events are new: the event_id and session_id of each, two of its eight columns. */
function allNew(sql: string, params: readonly Parameter[]): Record<string, unknown>[] {
  const rows: Record<string, unknown>[] = [];
  if (!sql.startsWith('INSERT INTO events ')) return rows;
  for (let at = 1; at < params.length; at += 8) rows.push({ event_id: params[at], session_id: params[at + 1] });
  return rows;
}

/** Prints what the database says it spends on each statement of a batch, and the time of its COMMIT. */
export async function printStatements(db: Database, sessions: readonly Shown[]): Promise<void> {
  const times = new Map<string, { planning: number[]; execution: number[] }>();
  const commits: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const statements: [string, readonly Parameter[]][] = [];
    const recording = fakeWith(async (sql, params) => {
      statements.push([sql, params]);
      return allNew(sql, params);
    });
    await storeStraight(recording, sessions, round);
    let done = 0;
    await db.transaction(async (transaction) => {
      for (const [sql, params] of statements) {
        const [row] = await transaction.query<Record<string, Plan>>(`EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`, params);
        const plan = row?.['QUERY PLAN']?.[0];
        const table = /INTO (\w+)/.exec(sql)?.[1] ?? '';
        const time = times.get(table) ?? { planning: [], execution: [] };
        times.set(table, time);
        time.planning.push(plan?.['Planning Time'] ?? 0);
        time.execution.push(plan?.['Execution Time'] ?? 0);
      }
      done = performance.now();
    });
    commits.push(performance.now() - done);
  }
  const perEvent = (times: readonly number[]): string =>
    `${((median(times) * 1_000) / BATCH).toFixed(1).padStart(6)} µs`;
  console.log('Time in the database, which plans a statement for its first five calls on each connection only:');
  for (const [table, { planning, execution }] of times)
    console.log(`  ${table.padEnd(38)} ${perEvent(execution)} an event, planning ${perEvent(planning)}`);
  console.log(`  ${'COMMIT, with its round trip'.padEnd(38)} ${perEvent(commits)} an event`);
}

type Plan = readonly { readonly 'Planning Time': number; readonly 'Execution Time': number }[];
