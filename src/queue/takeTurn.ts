import { promisifyRequest } from 'idb-keyval';
import type { Disk } from './disk.ts';

/** The key of the lease; it sorts after every other row. */
const LEASE = '~~';
/** Milliseconds after which whoever holds the turn is frozen: requests end after ten seconds, and several may have been before us. */
export const TURN_MAX_MS = 30_000;

/**
 * Does `work` while no other tab of the origin does; `undefined` when it was not our turn. A frozen tab loses the lock.
 * Where there are no Web Locks (older browsers, sandboxed frames) the tabs share a lease in the store.
 */
export async function takeTurn<T>(name: string, disk: Disk, work: () => Promise<T>): Promise<T | undefined> {
  const { locks } = globalThis.navigator ?? {};
  if (locks) {
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), TURN_MAX_MS);
    const held = (): Promise<T> => {
      clearTimeout(timer);
      return work();
    };
    return locks
      .request(name, { signal: stop.signal }, held)
      .catch(() => (stop.signal.aborted ? locks.request(name, { steal: true }, held) : undefined));
  }
  const isFree = await disk('readwrite', async (rows) => {
    const left = (await promisifyRequest<number>(rows.get(LEASE))) - Date.now();
    // More than the longest lease was taken under another clock.
    if (left > 0 && left <= TURN_MAX_MS) return false;
    rows.put(Date.now() + TURN_MAX_MS, LEASE);
    return true;
  }).catch(() => true);
  if (!isFree) return undefined;
  try {
    return await work();
  } finally {
    await disk('readwrite', (rows) => void rows.delete(LEASE)).catch(() => {});
  }
}
