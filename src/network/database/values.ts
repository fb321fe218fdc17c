/** The numbers of PostgreSQL types that the two drivers read differently. */
export const TYPE = { int8: 20, date: 1082, numeric: 1700 } as const;

/** Reads an int8 as a number, or as text if a number cannot represent it exactly. */
export function readInt8(text: string): number | string {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : text;
}

/** Leaves exact decimals (`1.50`) and dates (`2025-11-20`) as text. */
export function readText(text: string): string {
  return text;
}
