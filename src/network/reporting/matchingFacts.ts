import type { Parameter, Queries } from '../database/database.ts';
import { FACT_COLUMNS } from '../facts/factColumns.ts';
import type { DateRange } from '../../wire/utcDates.ts';
import type { ReportRequest } from './parseReportRequest.ts';
import type { Variant } from './variant.ts';

/** Whose activity a key gives access to: one channel's or one publisher's. */
export interface FactsOwner {
  readonly variant: Variant;
  readonly id: string;
}

/** An SQL condition and the values of its `$1`, `$2`, …. */
export interface Condition {
  readonly sql: string;
  readonly params: readonly Parameter[];
}

const OBSERVED = FACT_COLUMNS.map((column) => `${column} <> 0`).join(' OR ');

/** The condition for the facts of a report: the owner's, in the range, through all filters (docs/rules.md#r54). */
export function matchingFacts(owner: FactsOwner, range: DateRange, { filters }: ReportRequest): Condition {
  const params: Parameter[] = [owner.id, range.from, range.to];
  const parts = [`${ownerColumn(owner)} = $1`, 'day >= $2::date', 'day <= $3::date', `(${OBSERVED})`];
  const among = (column: string, values: readonly string[] | undefined, not = ''): void => {
    if (values === undefined) return;
    const places = values.map((value) => `$${params.push(value)}`);
    parts.push(`${column} ${not}IN (${places.join(', ')})`);
  };
  among('page_type', owner.variant.excludedPageTypes, 'NOT ');
  among('publisher_id', filters.publisher_ids);
  among('page_type', filters.page_types);
  among('widget_type', filters.widget_types);
  return { sql: parts.join(' AND '), params };
}

/** The number of hourly facts, the smallest unit there is, that meet a condition. */
export async function countHourlyFacts(db: Queries, { sql, params }: Condition): Promise<number> {
  const [row] = await db.query<{ count: number }>(`SELECT count(*) AS count FROM hourly_facts WHERE ${sql}`, params);
  return row?.count ?? 0;
}

/** The date of the owner's first activity, and the hour of its latest that is not in the future, of any page type. */
export async function findSpan(
  db: Queries,
  owner: FactsOwner,
  now: Date,
): Promise<{ firstDate?: string; latestHour?: Date | undefined }> {
  const mine = `FROM hourly_facts WHERE ${ownerColumn(owner)} = $1`;
  const [first] = await db.query<{ day: string }>(`SELECT day ${mine} ORDER BY day LIMIT 1`, [owner.id]);
  if (first === undefined) return {};
  const [latest] = await db.query<{ hour: Date }>(
    `SELECT hour ${mine} AND hour <= $2 ORDER BY day DESC, hour DESC LIMIT 1`,
    [owner.id, now],
  );
  return { firstDate: first.day, latestHour: latest?.hour };
}

function ownerColumn({ variant }: FactsOwner): string {
  return variant.name === 'channel' ? 'channel_id' : 'publisher_id';
}
