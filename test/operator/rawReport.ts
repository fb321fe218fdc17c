// Reads reports of the raw API, with nothing of ours.
export const DAY_MS = 86_400_000;
/** 52 weeks, so that weekdays meet. */
export const YEAR_DAYS = 364;

export type RawRow = Readonly<Record<string, string | number | null>>;

/** Reads all rows, page by page. `get` requests a path with a management key. */
export async function readRaw(
  get: (path: string) => Promise<Response>,
  params: URLSearchParams,
): Promise<{ rows: RawRow[]; summary: RawRow }> {
  const rows: RawRow[] = [];
  for (;;) {
    const query = new URLSearchParams([...params, ['limit', '250'], ['offset', String(rows.length)]]);
    const response = await get(`/adnet/reporting/v2/report/?${query}`);
    const page = (await response.json()) as { data: RawRow[]; summary: RawRow; pagination: { has_more: boolean } };
    rows.push(...page.data);
    if (!page.pagination.has_more) return { rows, summary: page.summary };
  }
}

export const dateOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** The breakdown of a row, and the place of its period. */
export function keyOf(row: RawRow, from: number, by: readonly string[]): string {
  const place = Math.max(0, (Date.parse(String(row['period_start'])) - from) / DAY_MS);
  return JSON.stringify([place, ...by.map((name) => row[name === 'publisher' ? 'publisher_id' : name] ?? null)]);
}

/** Activity of a day at noon on both pages. */
export function activityOf(time: number, publisher_remote_id: string, random: () => number): object[] {
  return ['THANK_YOU', 'ORDER_STATUS'].map((page_type) => ({
    hour: `${dateOf(time)}T12:00:00Z`,
    publisher_remote_id,
    page_type,
    widget_type: 'INLINE',
    widget_id: null,
    impressions: Math.floor(random() * 900),
    clicks: 1 + Math.floor(random() * 90),
    channel_payout: Math.floor(random() * 9_000) / 100,
  }));
}
