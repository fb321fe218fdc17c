/** The longest wait that a server may ask for: 2,147,484 s would overflow setTimeout into a hot loop. */
const RETRY_AFTER_MAX_MS = 3_600_000;

/** Milliseconds that a Retry-After header asks for, given in seconds or as a date; 0 when it asks for nothing readable. */
export function retryAfterMs(header: string | null | undefined, now: number): number {
  const text = (header ?? '').trim();
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : /[a-z]/i.test(text) ? Date.parse(text) - now : 0;
  return ms > 0 ? Math.min(ms, RETRY_AFTER_MAX_MS) : 0;
}
