/** What is certainly a date and a time: parsing it costs six times as much. */
const PLAIN = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?Z$/;
const RFC_3339 = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/i;

/** Whether a value is an RFC 3339 date and time. */
export function isDatetime(value: unknown): value is string {
  return typeof value === 'string' && (PLAIN.test(value) || parseDatetime(value) !== undefined);
}

/** Parses an RFC 3339 date and time to milliseconds since 1970. Returns `undefined` for anything else, 30 February included. */
export function parseDatetime(value: unknown): number | undefined {
  const day = typeof value === 'string' ? RFC_3339.exec(value)?.[1] : undefined;
  if (typeof value !== 'string' || day === undefined) return undefined;
  // Date.parse turns 30 February into 2 March instead of refusing it. Every month has a 28th, so most dates need no check.
  if (Number(day.slice(8)) > 28 && !isDay(day)) return undefined;
  const time = Date.parse(value.toUpperCase());
  return Number.isNaN(time) ? undefined : time;
}

function isDay(day: string): boolean {
  const midnight = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().slice(0, 10) === day;
}

/** The response header in which an offerlet relay says its time, in milliseconds since 1970. */
export const TIME_HEADER = 'offerlet-time';
