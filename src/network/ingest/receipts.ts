import { randomUUID } from 'node:crypto';
import { own } from '../../wire/json.ts';
import type { NetworkContext } from '../context.ts';
import type { KeyRecord } from '../keys/keyRecord.ts';

/** Something that arrived and was not stored. */
export interface Receipt {
  readonly arrival: number;
  readonly raw: unknown;
  readonly status: 'duplicate' | 'refused';
  readonly reason?: string;
}

/** Stands in the receipts of calls whose key belongs to no publisher. */
const NO_PUBLISHER = '00000000-0000-0000-0000-000000000000';

/** Numbers for the arrivals of one batch: microseconds, so they rise within a process and with the time between processes. */
export function numberArrivals(count: number): number[] {
  const now = Math.floor((performance.timeOrigin + performance.now()) * 1_000);
  return Array.from({ length: count }, (_, index) => now + index);
}

/** Notes what was not stored, for GET /sandbox/events; in production it notes nothing. */
export async function keepReceipts(
  context: NetworkContext,
  key: KeyRecord | undefined,
  receipts: readonly Receipt[],
): Promise<void> {
  if (context.environment !== 'staging' || receipts.length === 0) return;
  const rows = receipts.map(({ arrival, raw, status, reason }) => {
    return {
      id: randomUUID(),
      arrival,
      session_id: text(own(raw, 'session_id')),
      event_name: text(own(raw, 'event_name')),
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

/** A field of something that was refused: it may be anything, and the database takes no NUL and no lone surrogate. */
function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value.replaceAll(/\0|\p{Cs}/gu, '').slice(0, 200) : undefined;
}
