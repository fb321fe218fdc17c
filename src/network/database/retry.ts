import { setTimeout as pause } from 'node:timers/promises';

/** Serialization failure, deadlock, and a lock that Citus lost to another session: all safe to run again. */
const PASSING_CODES = new Set(['40001', '40P01']);
/** Tries after which a conflict is reported: a queue of ten writers for one row clears in fewer. */
const MAX_TRIES = 10;

/** Tells whether the database asks for the same work again. */
export function isPassing(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && PASSING_CODES.has(String(error.code));
}

/** The result of the work, which is run again after a serialization failure or a deadlock. */
export async function retry<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isPassing(error) || tries === MAX_TRIES) throw error;
      await pause(Math.random() * 5 * 2 ** Math.min(tries, 6));
    }
  }
}
