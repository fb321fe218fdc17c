const ESCAPE = /\\(?:u([0-9a-f]{4})|(.))/gi;

/**
 * Whether the key occurs in a text from the network, in any letter case and also when it is written with the escapes of
 * JSON. The text is searched, not its parsed value: of two fields with one name a parser shows only the last.
 */
export function containsKey(text: string, apiKey: string): boolean {
  const key = apiKey.toLowerCase();
  if (text.toLowerCase().includes(key)) return true;
  return text.includes('\\') && decodeEscapes(text).toLowerCase().includes(key);
}

/** The text with each escape of JSON replaced by its character; those for control characters, which no key has, by any. */
function decodeEscapes(text: string): string {
  return text.replace(ESCAPE, (_, code: string | undefined, character: string | undefined) =>
    code === undefined ? (character ?? '') : String.fromCharCode(Number.parseInt(code, 16)),
  );
}
