/** The time of day, to the millisecond. */
export function timeOf(at: number): string {
  return Number.isFinite(at) ? new Date(at).toISOString().slice(11, 23) : '';
}
