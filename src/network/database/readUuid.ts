/** Returns a UUID in lower case, or `undefined` for anything else, which PostgreSQL would refuse to compare with a uuid. */
export function readUuid(value: unknown): string | undefined {
  const isUuid = typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value);
  return isUuid ? value.toLowerCase() : undefined;
}
