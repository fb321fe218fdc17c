import { createHash } from 'node:crypto';

/** A key as the relay makes them. */
export function key(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, 32);
}

export function keys(...names: string[]): string[] {
  return names.map(key);
}
