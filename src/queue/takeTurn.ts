import { promisifyRequest } from 'idb-keyval';
import { committed, type Disk } from './disk.ts';

/** The lease sorts after every other row. */
const LEASE = '~~';
/** Milliseconds after which a holder that has not moved is frozen: a request takes ten seconds at most. */
export const TURN_MAX_MS = 15_000;

/**
 * Does `work` while no other tab of the origin does: one sender at a time. Answers `undefined` when it was not our turn.
 * A frozen tab that holds the lock loses it; browsers without Web Locks share a lease in the store.
 */
export async function takeTurn<T>(name: string, disk: Disk, work: () => Promise<T>): Promise<T | undefined> {
  const locks = globalThis.navigator?.locks;
  const holder = async (): Promise<string> =>
    (await locks.query()).held?.find((lock) => lock.name === name)?.clientId ?? '';
  // Missing in older browsers, refused in sandboxed frames.
  const first = await holder().catch(() => undefined);
  if (first === undefined) return takeLease(disk, work);
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), TURN_MAX_MS);
  try {
    return await locks.request(name, { signal: stop.signal }, () => {
      clearTimeout(timer);
      return work();
    });
  } catch {
    // Turns are first come, first served: whoever held it all the while we waited has not let go once.
    if (!stop.signal.aborted || (await holder()) !== first) return undefined;
    return locks.request(name, { steal: true }, work);
  } finally {
    clearTimeout(timer);
  }
}

async function takeLease<T>(disk: Disk, work: () => Promise<T>): Promise<T | undefined> {
  const isFree = await disk('readwrite', async (rows) => {
    const until = ((await promisifyRequest(rows.get(LEASE))) as number | undefined) ?? 0;
    const now = Date.now();
    // A lease beyond its longest time was taken under another clock.
    if (until > now && until <= now + TURN_MAX_MS) return false;
    rows.put(now + TURN_MAX_MS, LEASE);
    return true;
  }).catch(() => true);
  if (!isFree) return undefined;
  try {
    return await work();
  } finally {
    await disk('readwrite', (rows) => {
      rows.delete(LEASE);
      return committed(rows);
    }).catch(() => undefined);
  }
}
