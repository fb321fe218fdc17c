/**
 * The JSON text of plain data, on any page. A page may have put a `toJSON` on arrays (Prototype.js before 1.7 does), which
 * would turn every list into a string: the replacer goes back to the value itself.
 */
export function toJson(value: unknown): string {
  return JSON.stringify(value, function (this: Readonly<Record<string, unknown>>, key) {
    return this[key];
  });
}
