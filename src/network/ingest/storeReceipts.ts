import { randomUUID } from 'node:crypto';
import { own } from '../../wire/json.ts';
import { ID_MAX_LENGTH } from '../../wire/limits.ts';
import type { NetworkContext } from '../context.ts';
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
  const rows = receipts.map(({ arrival, raw, status, reason }) => {
    return {
      id: randomUUID(),
      arrival,
      session_id: storableText(own(raw, 'session_id')),
      event_name: storableText(own(raw, 'event_name')),
      status,
      reason,
      body: JSON.stringify(raw),
    };
  });
  await context.db.query(
    `INSERT INTO receipts (publisher_id, id, arrival, session_id, event_name, status, reason, body, received_at)
     SELECT $1::uuid, id, arrival, session_id, event_name, status, reason, body, $3::timestamptz
     FROM json_to_recordset($2::json) AS r(id uuid, arrival bigint, session_id text, event_name text, status text, reason text, body text)`,
    [key?.publisher_id ?? NO_PUBLISHER, JSON.stringify(rows), await context.now()],
  );
}

/** A field of a refused event may be anything, and PostgreSQL can store neither U+0000 nor lone surrogates. */
function storableText(value: unknown): string | undefined {
  return typeof value === 'string' ? value.replaceAll(/\0|\p{Cs}/gu, '').slice(0, ID_MAX_LENGTH) : undefined;
}
