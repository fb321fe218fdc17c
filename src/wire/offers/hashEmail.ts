/** The e-mail in the one spelling that is hashed: trimmed and lower-cased, never locale-aware. */
export function normalizeEmail(email: string): string {
  return email.trim().toLowerCase();
}

/**
 * The `email_hash` of an e-mail: lower-case hex SHA-256 of its normalised spelling.
 * Rejects where the platform offers no `crypto.subtle`: browsers have it on https and localhost only.
 */
export async function hashEmail(
  email: string,
  subtle: SubtleCrypto | undefined = globalThis.crypto?.subtle,
): Promise<string> {
  if (!subtle) throw new Error('An e-mail can be hashed on https pages only: send email_hash instead of email');
  const digest = await subtle.digest('SHA-256', new TextEncoder().encode(normalizeEmail(email)));
  // Not Array.from: old Prototype.js pages have their own, which takes no function.
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
