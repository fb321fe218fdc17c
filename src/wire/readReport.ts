import { isObject, own } from './json.ts';
import type { Report, ReportRow } from './reporting.ts';

/** The text columns; all others are metrics. */
const TEXT_COLUMNS: ReadonlySet<string> = new Set([
  'period_start',
  'period_end',
  'publisher_id',
  'publisher_name',
  'page_type',
  'widget_type',
  'widget_id',
]);

/** Whether a column holds text; all others are metrics. */
export function isTextColumn(name: string): boolean {
  return TEXT_COLUMNS.has(name);
}

/**
 * Reads a report. Metrics become numbers even if the network sent strings, and times become `YYYY-MM-DDTHH:MM:SSZ` from any
 * ISO 8601 form. Returns `undefined` when the body is not a report.
 */
export function readReport(json: unknown): Report | undefined {
  const data = own(json, 'data');
  const { offset, limit, total, has_more } = fieldsOf(own(json, 'pagination'));
  const { timezone, data_through, request_id } = fieldsOf(own(json, 'meta'));
  const summary = readColumns(own(json, 'summary'));
  if (!Array.isArray(data) || !summary) return undefined;
  if (typeof offset !== 'number' || typeof limit !== 'number' || typeof total !== 'number') return undefined;
  if (typeof has_more !== 'boolean') return undefined;
  const rows: ReportRow[] = [];
  for (const item of data) {
    const row = readColumns(item);
    if (!row || !isRow(row)) return undefined;
    rows.push(row);
  }
  return {
    data: rows,
    summary: summary as Record<string, number>,
    pagination: { offset, limit, total, has_more },
    meta: {
      timezone: typeof timezone === 'string' ? timezone : 'UTC',
      data_through: readTime(data_through) ?? null,
      request_id: typeof request_id === 'string' ? request_id : '',
    },
  };
}

function fieldsOf(json: unknown): Readonly<Record<string, unknown>> {
  return isObject(json) ? json : {};
}

function isRow(row: Record<string, string | number | null>): row is ReportRow {
  return typeof row['period_start'] === 'string' && typeof row['period_end'] === 'string';
}

/** Returns the columns in their order, or `undefined` when one has the wrong type. */
function readColumns(json: unknown): Record<string, string | number | null> | undefined {
  if (!isObject(json)) return undefined;
  const columns: Record<string, string | number | null> = {};
  for (const [name, value] of Object.entries(json)) {
    const isText = isTextColumn(name);
    const read = name.startsWith('period_') ? readTime(value) : isText ? readText(value) : readNumber(value);
    if (read === undefined) return undefined;
    columns[name] = read;
  }
  return columns;
}

function readText(value: unknown): string | null | undefined {
  return typeof value === 'string' || value === null ? value : undefined;
}

function readNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

function readTime(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  // A time without a zone is UTC, but Date.parse would read it as local time.
  const hasZone = !value.includes('T') || /(Z|[+-]\d\d(:?\d\d)?)$/i.test(value);
  const time = Date.parse(hasZone ? value : `${value}Z`);
  return Number.isNaN(time) ? undefined : `${new Date(time).toISOString().slice(0, 19)}Z`;
}
