import { expect, test, vi } from 'vitest';
import { createBilling } from '../../../src/network/events/createBilling.ts';
import { OPEN_DAYS, type StoredSession } from '../../../src/network/events/attributeConversions.ts';
import type { Database, Queries } from '../../../src/network/database/database.ts';

test('a sweep looks at each day, whatever cannot be billed', async () => {
  const looks = new Set<string>();
  const some = ['a', 'b', 'c'].map((id) => ({ session_id: id, publisher_id: id }) as StoredSession);
  const query = (sql: string, params: readonly unknown[]): Promise<unknown[]> => {
    if (sql.includes('SELECT DISTINCT')) looks.add(String(params[1]));
    return Promise.resolve(looks.size === 1 ? some : []);
  };
  const db = {
    read: (work: (on: Queries) => Promise<unknown>) => work({ query } as Queries),
    query,
    transaction: () => Promise.reject(new Error('It fails')),
  } as unknown as Database;
  const onFailed = vi.fn();
  const now = async (): Promise<Date> => new Date('2026-11-20T10:00:00Z');
  const billing = createBilling({ db, now, shares: vi.fn(), onBilled: vi.fn(), onFailed });
  billing.sweep();
  await vi.waitFor(() => expect(looks.size).toBe(OPEN_DAYS));
  expect(onFailed).toHaveBeenCalledTimes(3);
  await billing.close();
});
