/** Requests at a time: enough to hide the distance to the network, too few to be a burden. */
const REQUESTS_AT_ONCE = 4;

/** Works on some items at a time. After a failure nothing more is begun; what was begun is waited for. */
export async function forEach<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  const failures: unknown[] = [];
  const workers = Array.from({ length: REQUESTS_AT_ONCE }, async () => {
    for (const item of rest) {
      if (failures.length > 0) return;
      await work(item).catch((error: unknown) => void failures.push(error));
    }
  });
  await Promise.all(workers);
  if (failures.length > 0) throw failures[0];
}
