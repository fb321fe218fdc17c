/** The type numbers of PostgreSQL whose values the two drivers read differently. */
export const TYPE = { int8: 20, date: 1082, numeric: 1700 } as const;

/** An int8 as a number; text when a number cannot hold it exactly. */
export function readInt8(text: string): number | string {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : text;
}

/** The text as the database wrote it: exact decimals (`1.50`) and dates (`2025-11-20`) stay text. */
export function readText(text: string): string {
  return text;
}
