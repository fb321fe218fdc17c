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
  const { locks } = globalThis.navigator ?? {};
  if (locks) {
    return locks
      .request(name, { signal: AbortSignal.timeout?.(TURN_MAX_MS) }, work)
      .catch((error: unknown) =>
        /Timeout/.test(String(error)) ? locks.request(name, { steal: true }, work) : undefined,
      );
  }
  const isFree = await disk('readwrite', async (rows) => {
    const left = (await promisifyRequest<number>(rows.get(LEASE))) - Date.now();
    // More than the longest lease was taken under another clock.
    if (left > 0 && left <= TURN_MAX_MS) return false;
    rows.put(Date.now() + TURN_MAX_MS, LEASE);
    return true;
  });
  if (!isFree) return undefined;
  const result = await work();
  await disk('readwrite', (rows) => void rows.delete(LEASE));
  return result;
}
