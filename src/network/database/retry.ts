import { setTimeout as pause } from 'node:timers/promises';

/** Serialization failure and deadlock: the work can safely run again. */
const CONFLICT_CODES = new Set(['40001', '40P01']);
/** Maximum attempts. Ten writers that compete for one row need fewer. */
const MAX_TRIES = 10;

/** Whether the database asks to run the same work again. */
export function isConflict(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && CONFLICT_CODES.has(String(error.code));
}

/** Runs `work`, and again after a serialization failure or a deadlock; returns its result. */
export async function retry<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isConflict(error) || tries === MAX_TRIES) throw error;
      await pause(Math.random() * 5 * 2 ** Math.min(tries, 6));
    }
  }
}
