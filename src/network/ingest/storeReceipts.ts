import { randomUUID } from 'node:crypto';
import { own } from '../../wire/json.ts';
import { ID_MAX_LENGTH } from '../../wire/limits.ts';
import type { NetworkContext } from '../context.ts';
import { insertRows } from '../database/insertRows.ts';
import type { KeyRecord } from '../keys/keyRecord.ts';

/** An event that arrived and was not stored. */
export interface Receipt {
  readonly arrival: number;
  readonly raw: unknown;
  readonly status: 'duplicate' | 'refused';
  readonly reason?: string;
}

/** The publisher of receipts whose key belongs to none. */
const NO_PUBLISHER = '00000000-0000-0000-0000-000000000000';

const insertReceipts = insertRows({
  into: 'receipts',
  columns: ['id', 'arrival', 'session_id', 'event_name', 'status', 'reason', 'body', 'received_at'],
});

/** Numbers for the events of one batch: microseconds, so they rise within a process, and with time between processes. */
export function numberArrivals(count: number): number[] {
  const now = Math.floor((performance.timeOrigin + performance.now()) * 1_000);
  return Array.from({ length: count }, (_, index) => now + index);
}

/** Stores what GET /sandbox/events shows besides the stored events; in production it stores nothing. */
export async function storeReceipts(
  context: NetworkContext,
  key: KeyRecord | undefined,
  receipts: readonly Receipt[],
): Promise<void> {
  if (context.environment !== 'staging' || receipts.length === 0) return;
  const publisherId = key?.publisher_id ?? NO_PUBLISHER;
  const receivedAt = await context.now();
  const rows = receipts.map(({ arrival, raw, status, reason }) => [
    randomUUID(),
    arrival,
    storableText(own(raw, 'session_id')) ?? null,
    storableText(own(raw, 'event_name')) ?? null,
    status,
    reason ?? null,
    JSON.stringify(raw),
    receivedAt,
  ]);
  for (const statement of insertReceipts(publisherId, rows)) await context.db.query(...statement);
}

/** A field of a refused event may be anything, and PostgreSQL can store neither U+0000 nor lone surrogates. */
function storableText(value: unknown): string | undefined {
  return typeof value === 'string' ? value.replaceAll(/\0|\p{Cs}/gu, '').slice(0, ID_MAX_LENGTH) : undefined;
}
