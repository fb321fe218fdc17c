/** Characters of an identifier: a UUID has 36, the longest ones seen have about 100. */
const ID_MAX_LENGTH = 200;

/** The identifier exactly as it was sent (an integer as its digits), or `undefined` when it cannot be one. */
export function readId(value: unknown): string | undefined {
  const id = Number.isSafeInteger(value) ? String(value) : value;
  return typeof id === 'string' && id.trim() !== '' && id.length <= ID_MAX_LENGTH && !/\p{Cc}|\p{Cs}/u.test(id)
    ? id
    : undefined;
}
