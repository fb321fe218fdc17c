/** Trims and lower-cases an email for hashing, never locale-aware. */
export function normalizeEmail(email: string): string {
  return email.trim().toLowerCase();
}

/**
 * Returns the `email_hash` of an email: the SHA-256 of the normalized email in lower-case hex.
 * Rejects when `crypto.subtle` is missing: browsers offer it on https and localhost only.
 */
export function hashEmail(email: string): Promise<string> {
  return hashText(normalizeEmail(email));
}

/** Returns the SHA-256 of a text in lower-case hex. Rejects when `crypto.subtle` is missing. */
export async function hashText(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  // Not Array.from: Prototype.js replaces it with one that ignores the callback.
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
