/** Tells whether the key occurs in a body, also when it is written with JSON's escapes or in other letter case. */
export function holdsKey(text: string, json: unknown, apiKey: string): boolean {
  const key = apiKey.toLowerCase();
  if (text.toLowerCase().includes(key)) return true;
  // Only an escape can hide it: \u0061dnet_…
  return text.includes('\\') && json !== undefined && JSON.stringify(json).toLowerCase().includes(key);
}
