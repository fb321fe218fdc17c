import { ID_MAX_LENGTH } from './limits.ts';

/** Returns an identifier exactly as it was sent, an integer as its digits. Returns `undefined` when it is not a valid one. */
export function readId(value: unknown): string | undefined {
  const id = Number.isSafeInteger(value) ? String(value) : value;
  return typeof id === 'string' && id.trim() !== '' && id.length <= ID_MAX_LENGTH && !/\p{Cc}|\p{Cs}/u.test(id)
    ? id
    : undefined;
}
