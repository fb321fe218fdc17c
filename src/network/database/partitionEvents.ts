import { setTimeout as pause } from 'node:timers/promises';
import { hasCitus, isWorker } from './citus.ts';
import { type Database, DatabaseUnavailableError, type Queries, type Transaction } from './database.ts';
import { openPostgres } from './postgres.ts';
import { NetworkStartError } from './openNetworkDatabase.ts';

/** One change to the partitions of `events`. */
export interface PartitionStep {
  /** split: partitions the table; create: for a month; replace: of what was there before the split; detach: of a month. */
  readonly what: 'split' | 'create' | 'replace' | 'detach';
  /** The partition; for `split`, the one that takes what is there. */
  readonly table: string;
  /** Estimated, as the server's statistics are. */
  readonly rows: number;
  readonly bytes: number;
}

/** How to partition. */
export interface PartitionOptions {
  /** The server, or the coordinator. */
  readonly databaseUrl: string;
  /** Whole months to keep besides the current one, 2 or more; without it nothing is detached. */
  readonly keepMonths?: number | undefined;
  readonly isDryRun: boolean;
  /** Gets what there is to do. */
  onPlan(steps: readonly PartitionStep[]): void;
  /** Runs a step, which it may report. */
  onStep(step: PartitionStep, run: () => Promise<void>): Promise<void>;
  readonly now?: Date;
}

/** Months ahead that have a partition: a month without a run does no harm. */
const MONTHS_AHEAD = 2;
/** What was in the table when it was split, and later what no month has. */
const BEFORE = 'events_before';
const OTHER = 'events_other';
/** Milliseconds that a step may take: a day. */
const STEP_TIMEOUT_MS = 86_400_000;
/** The number of the lock under which one run at a time does a step. */
const STEP_LOCK = 4_600_002;
/**
 * Milliseconds to wait for what uses the table, such as a pg_dump: every writer waits meanwhile. More than the second after
 * which a server ends an autovacuum that is in the way.
 */
const LOCK_TIMEOUT_MS = 1_500;
/** SQLSTATE of a lock that was not obtained in that time. */
const LOCKED = '55P03';
/** Milliseconds in which writers go on, and how often a step is tried: for two minutes. */
const LOCK_PAUSE_MS = 5_000;
const MAX_TRIES = 18;

/** Partitions `events` by month, creates the partitions of coming months and detaches those that are older than what is kept. A second run does nothing. */
export async function partitionEvents(options: PartitionOptions): Promise<void> {
  const db = openPostgres(options.databaseUrl, { connections: 2, statementTimeoutMs: STEP_TIMEOUT_MS });
  try {
    await db.checkNodes();
    const isOnCitus = await hasCitus(db);
    if (isOnCitus && (await isWorker(db)))
      throw new NetworkStartError('This is not the coordinator. Give its URL with --database-url.');
    const steps = await planPartitions(db, options);
    options.onPlan(steps);
    if (options.isDryRun) return;
    for (const step of steps) await options.onStep(step, () => runStep(db, step, isOnCitus));
  } catch (error) {
    if (error instanceof NetworkStartError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new NetworkStartError(message.split('\n')[0] ?? '', { cause: error });
  } finally {
    await db.close();
  }
}

async function planPartitions(
  db: Queries,
  { keepMonths, now = new Date() }: PartitionOptions,
): Promise<PartitionStep[]> {
  const kind = await kindOfEvents(db);
  if (kind === undefined) throw new NetworkStartError('The database has no table events. Start a network on it once.');
  const steps: PartitionStep[] = [];
  const isSplit = kind === 'p';
  const present = isSplit ? await partitionsOf(db) : [];
  const add = async (what: PartitionStep['what'], name: string, size = name): Promise<void> => {
    steps.push({ what, table: name, ...(await sizeOf(db, size)) });
  };
  if (!isSplit) await add('split', BEFORE, 'events');
  const current = monthOf(now);
  const byMonth = present.filter((name) => MONTHLY.test(name)).toSorted();
  // The month of the split stays where it is. From the next one on each has a partition, and one that was missed gets it now.
  const first = byMonth[0] === undefined ? current + 1 : readMonth(byMonth[0]);
  for (let month = first; month <= current + MONTHS_AHEAD; month += 1)
    if (!present.includes(nameOf(month))) await add('create', nameOf(month));
  if (keepMonths === undefined) return steps;
  const kept = current - keepMonths;
  for (const name of byMonth) if (name < nameOf(kept)) await add('detach', name);
  // It ends where the first month begins.
  if (present.includes(BEFORE) && byMonth[0] !== undefined && byMonth[0] <= nameOf(kept)) await add('replace', BEFORE);
  return steps;
}

/** What the table `events` is: `r`, or `p` if it is partitioned. */
async function kindOfEvents(db: Queries): Promise<string | undefined> {
  const [table] = await db.query<{ kind: string }>(
    "SELECT relkind AS kind FROM pg_class WHERE oid = to_regclass('events')",
  );
  return table?.kind;
}

const MONTHLY = /^events_\d{4}_\d{2}$/;

async function partitionsOf(db: Queries): Promise<string[]> {
  const rows = await db.query<{ name: string }>(
    "SELECT c.relname::text AS name FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid WHERE inhparent = 'events'::regclass",
  );
  return rows.map(({ name }) => name);
}

/** The estimated rows and the bytes of a table with its partitions, 0 if it does not exist. A partitioned table itself holds nothing. */
export async function sizeOf(db: Queries, table: string): Promise<{ readonly rows: number; readonly bytes: number }> {
  const [size] = await db.query<{ rows: number; bytes: number }>(
    `SELECT coalesce(sum(greatest(reltuples, 0)), 0)::bigint AS rows, coalesce(sum(pg_total_relation_size(oid)), 0)::bigint AS bytes
     FROM pg_class WHERE relkind <> 'p'
       AND (oid = to_regclass($1::text) OR oid IN (SELECT relid FROM pg_partition_tree(to_regclass($1::text))))`,
    [table],
  );
  return { rows: size?.rows ?? 0, bytes: size?.bytes ?? 0 };
}

/** A month as a number. */
function monthOf(time: Date): number {
  return time.getUTCFullYear() * 12 + time.getUTCMonth();
}

function nameOf(month: number): string {
  return `events_${Math.floor(month / 12)}_${String((month % 12) + 1).padStart(2, '0')}`;
}

/** The month of a partition. */
function readMonth(name: string): number {
  const [year = 0, number = 0] = name.split('_').slice(1).map(Number);
  return year * 12 + number - 1;
}

/** The first id of a session of a month: ids begin with the time in milliseconds. */
function firstSession(month: number): string {
  const hex = Date.UTC(Math.floor(month / 12), month % 12)
    .toString(16)
    .padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** Whether another run has done it since it was planned. */
async function isDone(db: Queries, { what, table }: PartitionStep): Promise<boolean> {
  if (what === 'split') return (await kindOfEvents(db)) === 'p';
  return (await partitionsOf(db)).includes(table) === (what === 'create');
}

async function runStep(db: Database, step: PartitionStep, isOnCitus: boolean): Promise<void> {
  const { what, table } = step;
  const distribute = async (on: Transaction, name: string): Promise<void> => {
    if (isOnCitus)
      await on.query("SELECT create_distributed_table($1, 'publisher_id', colocate_with => 'sessions')", [name]);
  };
  const change: Record<PartitionStep['what'], (on: Transaction) => Promise<void>> = {
    async split(on) {
      await on.exec(`ALTER TABLE events RENAME TO ${BEFORE}`);
      await on.exec(`CREATE TABLE events (LIKE ${BEFORE} INCLUDING ALL) PARTITION BY RANGE (session_id)`);
      await distribute(on, 'events');
      await on.exec(`ALTER TABLE events ATTACH PARTITION ${BEFORE} DEFAULT`);
    },
    async create(on) {
      const month = readMonth(table);
      const [from, to] = [firstSession(month), firstSession(month + 1)];
      const present = await partitionsOf(on);
      // Writers wait: what comes now for this month must not go to the default partition.
      await on.exec('LOCK TABLE events IN EXCLUSIVE MODE');
      await on.exec(`CREATE TABLE ${table} (LIKE events INCLUDING ALL)`);
      await distribute(on, table);
      for (const rest of present.filter((name) => name === BEFORE || name === OTHER)) {
        const range = `session_id >= '${from}' AND session_id < '${to}'`;
        // Attaching needs this lock: better wait for it before moving rows than after. What citus does with it was not tried.
        if (!isOnCitus) await on.exec(`LOCK TABLE ${rest} IN ACCESS EXCLUSIVE MODE`);
        await on.exec(`INSERT INTO ${table} SELECT * FROM ${rest} WHERE ${range}`);
        await on.exec(`DELETE FROM ${rest} WHERE ${range}`);
      }
      await on.exec(`ALTER TABLE events ATTACH PARTITION ${table} FOR VALUES FROM ('${from}') TO ('${to}')`);
    },
    async replace(on) {
      await on.exec(`ALTER TABLE events DETACH PARTITION ${BEFORE}`);
      await on.exec(`CREATE TABLE ${OTHER} PARTITION OF events DEFAULT`);
    },
    detach: (on) => on.exec(`ALTER TABLE events DETACH PARTITION ${table}`),
  };
  const run = async (on: Transaction): Promise<void> => {
    await on.query('SELECT pg_advisory_xact_lock($1)', [STEP_LOCK]);
    if (await isDone(on, step)) return;
    await on.exec(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await change[what](on);
  };
  for (let tries = 1; ; tries += 1)
    try {
      return await db.transaction(run, { statementTimeoutMs: STEP_TIMEOUT_MS });
    } catch (error) {
      const cause = error instanceof DatabaseUnavailableError ? error.cause : undefined;
      if (!(cause instanceof Error && 'code' in cause && cause.code === LOCKED)) throw error;
      if (tries === MAX_TRIES)
        throw new NetworkStartError(
          'Another transaction has used the table events for two minutes, such as a pg_dump. Run this again when it has ended: it continues where it stopped.',
          { cause: error },
        );
      await pause(LOCK_PAUSE_MS);
    }
}
