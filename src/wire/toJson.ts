/**
 * Stringifies plain data on any page. Prototype.js before 1.7 puts a `toJSON` on arrays, which would turn every array into
 * a string; the replacer reads the original value instead.
 */
export function toJson(value: unknown): string {
  return JSON.stringify(value, function (this: Readonly<Record<string, unknown>>, key) {
    return this[key];
  });
}
