import { setTimeout as pause } from 'node:timers/promises';
import { hasCitus, isWorker } from './citus.ts';
import { type Database, DatabaseUnavailableError, type Queries, type Transaction } from './database.ts';
import { NetworkStartError } from './openNetworkDatabase.ts';
import { openPostgres } from './postgres.ts';

/** One change to the partitions of `events`. */
export interface PartitionStep {
  /** split: partitions the table; create: for a month; detach: of a month, or of what was there before the split. */
  readonly what: 'split' | 'create' | 'detach';
  /** The partition; for `split`, the one that takes what is there. */
  readonly table: string;
  /** Its size, estimated as the server's statistics are. */
  readonly rows: number;
  readonly bytes: number;
}

/** How to partition a database that networks go on using. */
interface PartitionOptions {
  /** The server, or the coordinator. */
  readonly databaseUrl: string;
  /** Whether to change nothing. */
  readonly isDryRun: boolean;
  /** Whole months to keep besides the current one, 2 or more; without it nothing is detached. */
  readonly keepMonths?: number | undefined;
  readonly now?: Date;
  /** Gets what there is to do; an empty list if it is done already. */
  onPlan(steps: readonly PartitionStep[]): void;
  /** Runs a step, which it may report. */
  onStep(step: PartitionStep, run: () => Promise<void>): Promise<void>;
}

/** Milliseconds that a step may take: a day. */
const STEP_TIMEOUT_MS = 86_400_000;
/** Months ahead that have a partition: a month without a run does no harm. */
const MONTHS_AHEAD = 2;
/** What was in the table when it was split: everything before the first month that has a partition. */
const BEFORE = 'events_before';
/** The default partition. It is empty, because PostgreSQL reads all of it, and blocks writers meanwhile, for each new month. */
const OTHER = 'events_other';
/** The constraint that says where the part before the split ends. */
const RANGE = 'events_before_range';
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

/**
 * Partitions `events` by month, creates the partitions of coming months and detaches those that are older than what is kept.
 * A second run does nothing. Whatever the server refuses is a `NetworkStartError` of one line.
 */
export async function partitionEvents(options: PartitionOptions): Promise<void> {
  const { databaseUrl, isDryRun, keepMonths, now = new Date(), onPlan, onStep } = options;
  const db = openPostgres(databaseUrl, { connections: 2, statementTimeoutMs: STEP_TIMEOUT_MS });
  try {
    await db.check();
    const isOnCitus = await hasCitus(db);
    if (isOnCitus && (await isWorker(db)))
      throw new NetworkStartError('This is not the coordinator. Give its URL with --database-url.');
    const steps = await planPartitions(db, keepMonths, now);
    onPlan(steps);
    if (isDryRun) return;
    for (const step of steps) await onStep(step, () => runStep(db, step, { now, isOnCitus }));
  } catch (error) {
    if (error instanceof NetworkStartError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new NetworkStartError(message.split('\n')[0] ?? '', { cause: error });
  } finally {
    await db.close();
  }
}

async function planPartitions(db: Queries, keepMonths: number | undefined, now: Date): Promise<PartitionStep[]> {
  const kind = await kindOfEvents(db);
  if (kind === undefined) throw new NetworkStartError('The database has no table events. Start a network on it once.');
  const steps: PartitionStep[] = [];
  const isSplit = kind === 'p';
  const present = isSplit ? await listPartitions(db) : [];
  const add = async (what: PartitionStep['what'], name: string, size = name): Promise<void> => {
    steps.push({ what, table: name, ...(await measureTable(db, size)) });
  };
  if (!isSplit) await add('split', BEFORE, 'events');
  const current = monthNumber(now);
  const byMonth = present.filter((name) => MONTHLY.test(name)).toSorted();
  const first = byMonth[0] === undefined ? current + MONTHS_AHEAD : readMonth(byMonth[0]);
  const kept = keepMonths === undefined ? first : current - keepMonths;
  // From the first month on each has a partition. One that was missed gets it now, unless it would only be detached.
  for (let month = first; month <= current + MONTHS_AHEAD; month += 1) {
    const name = partitionName(month);
    const isOld = month < kept;
    const isMissing = !present.includes(name);
    if (isMissing && (!isOld || (await hasLeftOver(db, month)))) await add('create', name);
    if (isOld && (!isMissing || steps.at(-1)?.table === name)) await add('detach', name);
  }
  // It ends where the first month begins.
  if (present.includes(BEFORE) && first <= kept && keepMonths !== undefined) await add('detach', BEFORE);
  return steps;
}

/** The size of a table with its partitions, 0 if it does not exist. A partitioned table itself holds nothing. */
async function measureTable(db: Queries, table: string): Promise<Pick<PartitionStep, 'rows' | 'bytes'>> {
  const [size] = await db.query<{ rows: number; bytes: number }>(
    `SELECT coalesce(sum(greatest(reltuples, 0)), 0)::bigint AS rows, coalesce(sum(pg_total_relation_size(oid)), 0)::bigint AS bytes
     FROM pg_class WHERE relkind <> 'p'
       AND (oid = to_regclass($1::text) OR oid IN (SELECT relid FROM pg_partition_tree(to_regclass($1::text))))`,
    [table],
  );
  return { rows: size?.rows ?? 0, bytes: size?.bytes ?? 0 };
}

/** Whether events of a month without a partition have arrived: they are in the default partition. */
async function hasLeftOver(db: Queries, month: number): Promise<boolean> {
  const sql = `SELECT 1 AS yes FROM ${OTHER} WHERE ${isOfMonth(month)} LIMIT 1`;
  return (await db.query(sql)).length > 0;
}

function isOfMonth(month: number): string {
  return `session_id >= '${firstSession(month)}' AND session_id < '${firstSession(month + 1)}'`;
}

/** What the table `events` is: `r`, or `p` if it is partitioned. */
async function kindOfEvents(db: Queries): Promise<string | undefined> {
  const [table] = await db.query<{ kind: string }>(
    "SELECT relkind AS kind FROM pg_class WHERE oid = to_regclass('events')",
  );
  return table?.kind;
}

const MONTHLY = /^events_\d{4}_\d{2}$/;

async function listPartitions(db: Queries): Promise<string[]> {
  const rows = await db.query<{ name: string }>(
    "SELECT c.relname::text AS name FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid WHERE inhparent = 'events'::regclass",
  );
  return rows.map(({ name }) => name);
}

/** A month as a number. */
function monthNumber(time: Date): number {
  return time.getUTCFullYear() * 12 + time.getUTCMonth();
}

function partitionName(month: number): string {
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

interface Place {
  readonly now: Date;
  readonly isOnCitus: boolean;
}

/** Whether another run has done it since it was planned. */
async function isDone(db: Queries, { what, table }: PartitionStep): Promise<boolean> {
  if (what === 'split') return (await kindOfEvents(db)) === 'p';
  return (await listPartitions(db)).includes(table) === (what === 'create');
}

async function runStep(db: Database, step: PartitionStep, { now, isOnCitus }: Place): Promise<void> {
  const end = firstSession(monthNumber(now) + MONTHS_AHEAD);
  await db.transaction(
    async (holder) => {
      // One run at a time, for as long as the step takes and on a separate connection: a step is tried several times.
      await holder.exec('SET LOCAL idle_in_transaction_session_timeout = 0');
      await holder.query('SELECT pg_advisory_xact_lock($1)', [STEP_LOCK]);
      if (await isDone(holder, step)) return;
      if (step.what === 'split') await limitRange(db, end);
      await onceUnlocked(db, (on) => change(on, step, { end, isOnCitus }));
    },
    { statementTimeoutMs: STEP_TIMEOUT_MS },
  );
}

/** Proves that nothing in `events` is of a later month than `end`: writers go on while the table is read. */
async function limitRange(db: Database, end: string): Promise<void> {
  await onceUnlocked(db, async (on) => {
    await on.exec(`ALTER TABLE events DROP CONSTRAINT IF EXISTS ${RANGE}`);
    await on.exec(`ALTER TABLE events ADD CONSTRAINT ${RANGE} CHECK (session_id < '${end}') NOT VALID`);
  });
  try {
    await db.exec(`ALTER TABLE events VALIDATE CONSTRAINT ${RANGE}`);
  } catch (error) {
    await db.exec(`ALTER TABLE events DROP CONSTRAINT ${RANGE}`);
    throw error;
  }
}

async function change(
  on: Transaction,
  { what, table }: PartitionStep,
  { end, isOnCitus }: { readonly end: string; readonly isOnCitus: boolean },
): Promise<void> {
  const distribute = async (name: string): Promise<void> => {
    if (isOnCitus)
      await on.query("SELECT create_distributed_table($1, 'publisher_id', colocate_with => 'sessions')", [name]);
  };
  switch (what) {
    case 'split':
      await on.exec(`ALTER TABLE events RENAME TO ${BEFORE}`);
      await on.exec(
        `CREATE TABLE events (LIKE ${BEFORE} INCLUDING ALL EXCLUDING CONSTRAINTS) PARTITION BY RANGE (session_id)`,
      );
      await distribute('events');
      // The constraint that it has says the same, so PostgreSQL does not read the table again.
      await on.exec(`ALTER TABLE events ATTACH PARTITION ${BEFORE} FOR VALUES FROM (MINVALUE) TO ('${end}')`);
      await on.exec(`ALTER TABLE ${BEFORE} DROP CONSTRAINT ${RANGE}`);
      return on.exec(`CREATE TABLE ${OTHER} PARTITION OF events DEFAULT`);
    case 'create': {
      const month = readMonth(table);
      // Writers wait: what comes now for this month must not go to the default partition.
      await on.exec('LOCK TABLE events IN EXCLUSIVE MODE');
      await on.exec(`CREATE TABLE ${table} (LIKE events INCLUDING ALL)`);
      await distribute(table);
      // Attaching needs this lock: better wait for it before moving rows than after. What citus does with it was not tried.
      if (!isOnCitus) await on.exec(`LOCK TABLE ${OTHER} IN ACCESS EXCLUSIVE MODE`);
      await on.exec(`INSERT INTO ${table} SELECT * FROM ${OTHER} WHERE ${isOfMonth(month)}`);
      await on.exec(`DELETE FROM ${OTHER} WHERE ${isOfMonth(month)}`);
      const [from, to] = [firstSession(month), firstSession(month + 1)];
      return on.exec(`ALTER TABLE events ATTACH PARTITION ${table} FOR VALUES FROM ('${from}') TO ('${to}')`);
    }
    case 'detach':
      return on.exec(`ALTER TABLE events DETACH PARTITION ${table}`);
  }
}

/** Runs a change in a transaction, again when something else uses the table for longer than writers should wait. */
async function onceUnlocked(db: Database, work: (on: Transaction) => Promise<void>): Promise<void> {
  const run = async (on: Transaction): Promise<void> => {
    await on.exec(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await work(on);
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
