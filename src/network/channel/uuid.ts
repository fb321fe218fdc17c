/** A UUID in lower case, or `undefined` for anything else: the database must never be asked about text that is none (C16). */
export function readUuid(value: unknown): string | undefined {
  const isUuid = typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value);
  return isUuid ? value.toLowerCase() : undefined;
}
