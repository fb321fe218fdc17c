import { promisifyRequest } from 'idb-keyval';
import type { Disk } from './disk.ts';
import { LEASE } from './key.ts';

/** Milliseconds after which whoever holds the turn is frozen: requests end after ten seconds, and several may have been before us. */
const TURN_MAX_MS = 30_000;

/**
 * Does `work` while no other tab of the origin does; `undefined` when it was not our turn. A frozen tab loses the lock.
 * Where there are no Web Locks (older browsers, sandboxed frames) the tabs share a lease in the store.
 */
export async function takeTurn<T>(name: string, disk: Disk, work: () => Promise<T>): Promise<T | undefined> {
  const locks = globalThis.navigator?.locks;
  if (locks) {
    return locks.request(name, { signal: AbortSignal.timeout(TURN_MAX_MS) }, work).catch((error: unknown) => {
      if (/Timeout/.test(String(error))) return locks.request(name, { steal: true }, work);
      // A sandboxed frame has no storage either: nobody shares anything with it.
      return /Security/.test(String(error)) ? work() : undefined;
    });
  }
  const isBusy = await disk('readwrite', async (rows) => {
    const left = (await promisifyRequest<number>(rows.get(LEASE))) - Date.now();
    // More than the longest lease was taken under another clock.
    const isTaken = left > 0 && left <= TURN_MAX_MS;
    if (!isTaken) rows.put(Date.now() + TURN_MAX_MS, LEASE);
    return isTaken;
  });
  if (isBusy) return undefined;
  const result = await work();
  await disk('readwrite', (rows) => void rows.delete(LEASE));
  return result;
}
