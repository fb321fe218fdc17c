import { type Database, DatabaseUnavailableError } from '../database/database.ts';
import { setNewest } from '../../http/setNewest.ts';
import type { Shares } from '../settings.ts';
import { attributeConversions, findUnbilled, FULL, OPEN_DAYS, type StoredSession } from './attributeConversions.ts';

/** Bills conversions once their events are committed: the sender's response does not wait for it, nor does it fail with it. */
export interface Billing {
  /** Bills what clicks have earned in these sessions. */
  bill(sessions: Iterable<StoredSession>): void;
  /** Bills what a process left that was killed, now and every ten minutes from then on. */
  sweep(): void;
  /** Number of sessions that wait. */
  due(): number;
  /** Resolves once what is due is billed or cannot be for now, and after two seconds at the latest. */
  settled(): Promise<void>;
  /** Stops the retries and sweeps, and waits as long for what is under way. */
  close(): Promise<void>;
}

interface BillingOptions {
  readonly db: Database;
  /** The network's time. */
  now(): Promise<Date>;
  shares(): Promise<Shares | undefined>;
  /** Called after each round: a budget may be spent. */
  onBilled(): void;
  onFailed(error: unknown): void;
}

/** Sessions that wait; beyond it, the next sweep finds the oldest. */
const DUE_MAX = 10_000;
/** Sessions of one statement. */
const ROUND_MAX = 40;
/** Milliseconds until what the database was not available for is tried again, and between sweeps. */
const RETRY_MS = 1_000;
const SWEEP_MS = 600_000;
/** Milliseconds that others wait for what is under way. */
const SETTLE_MS = 2_000;

/** Returns the `Billing` of a process. Any number of them may share a database: each conversion is billed once. */
export function createBilling({ db, now, shares, onBilled, onFailed }: BillingOptions): Billing {
  const due = new Map<string, StoredSession>();
  let running: Promise<void> | undefined;
  /** Days that the sweep has yet to look at, the oldest first. */
  let days = 0;
  /** Whether something failed since the last look: as many again may be what fails. */
  let isStuck = false;
  let isClosed = false;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let sweeps: ReturnType<typeof setInterval> | undefined;

  function start(): void {
    if (isClosed || running) return;
    running = run().finally(() => {
      running = undefined;
      if (!isClosed && (due.size > 0 || days > 0)) retry ??= setTimeout(again, RETRY_MS).unref();
    });
  }

  function again(): void {
    retry = undefined;
    start();
  }

  /** Bills until nothing is due, or the database is not available. Never rejects. */
  async function run(): Promise<void> {
    for (;;) {
      if (isClosed) return;
      const round = nextRound();
      try {
        if (round.length > 0) await attributeConversions(db, round, await shares());
        else if (days === 0) return;
        else {
          const found = await findUnbilled(db, await now(), days);
          for (const session of found) due.set(session.session_id, session);
          if (isStuck || found.length < FULL) days -= 1;
          isStuck = false;
        }
      } catch (error) {
        onFailed(error);
        if (error instanceof DatabaseUnavailableError) {
          for (const session of round) due.set(session.session_id, session);
          return;
        }
        // Anything else would fail again: the next sweep tries.
        isStuck = round.length > 0;
        if (!isStuck) days -= 1;
      } finally {
        if (round.length > 0) onBilled();
      }
    }
  }

  /** Takes some sessions of one publisher. */
  function nextRound(): readonly StoredSession[] {
    const [first] = due.values();
    const round = [...due.values()].filter(({ publisher_id }) => publisher_id === first?.publisher_id);
    const some = round.slice(0, ROUND_MAX);
    for (const { session_id } of some) due.delete(session_id);
    return some;
  }

  function sweep(): void {
    days ||= OPEN_DAYS;
    sweeps ??= setInterval(sweep, SWEEP_MS).unref();
    start();
  }

  async function settled(): Promise<void> {
    let late: ReturnType<typeof setTimeout> | undefined;
    await Promise.race([running, new Promise((resolve) => (late = setTimeout(resolve, SETTLE_MS)))]);
    clearTimeout(late);
  }

  return {
    bill(sessions) {
      for (const session of sessions) setNewest(due, [session.session_id, session], { max: DUE_MAX });
      if (due.size > 0) start();
    },
    sweep,
    due: () => due.size,
    settled,
    async close() {
      isClosed = true;
      clearTimeout(retry);
      clearInterval(sweeps);
      await settled();
    },
  };
}
