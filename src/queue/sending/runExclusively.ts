import { promisifyRequest } from 'idb-keyval';
import { LEASE } from '../rows/key.ts';
import type { Database } from '../rows/openDatabase.ts';

/** Milliseconds after which whoever holds the lock is frozen: requests end after ten seconds, and several may have been before us. */
const LEASE_MS = 30_000;

/**
 * Runs `work` while no other tab of the origin does; resolves to undefined when another tab held the lease. A frozen tab loses the lock.
 * Without Web Locks (older browsers, sandboxed frames) the tabs share a lease in the store.
 */
export async function runExclusively<T>(
  name: string,
  run: Database['run'],
  work: () => Promise<T>,
): Promise<T | undefined> {
  const locks = globalThis.navigator?.locks;
  if (locks) {
    return locks.request(name, { signal: AbortSignal.timeout(LEASE_MS) }, work).catch((error: unknown) => {
      if (/Timeout/.test(String(error))) return locks.request(name, { steal: true }, work);
      // A sandboxed frame has no storage either: nobody shares anything with it.
      return /Security/.test(String(error)) ? work() : undefined;
    });
  }
  const isTaken = await run('readwrite', async (rows) => {
    const left = (await promisifyRequest<number>(rows.get(LEASE))) - Date.now();
    // More than the longest lease was taken under another clock.
    const isTaken = left > 0 && left <= LEASE_MS;
    if (!isTaken) rows.put(Date.now() + LEASE_MS, LEASE);
    return isTaken;
  });
  if (isTaken) return undefined;
  const result = await work();
  await run('readwrite', (rows) => void rows.delete(LEASE));
  return result;
}
