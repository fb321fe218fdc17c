import { RelayConfigError } from '../errors.ts';

/** Refuses an option of a store that is not a whole number from 1 to `most`. */
export function checkWhole(option: string, value: unknown, most = Number.MAX_SAFE_INTEGER): void {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1 && value <= most) return;
  const range = most === Number.MAX_SAFE_INTEGER ? 'of 1 or more' : `between 1 and ${most}`;
  const given = typeof value === 'string' ? `"${value}"` : String(value);
  throw new RelayConfigError(`must be a whole number ${range}, not ${given}.`, { option });
}
