/** Formats a time of day to the millisecond; empty for undefined. */
export function timeOf(at: number | undefined): string {
  return at !== undefined && Number.isFinite(at) ? new Date(at).toISOString().slice(11, 23) : '';
}
