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

/** Returns the same UUID for the same text (version 8: its bits are a hash, and not a cryptographic one). */
export function uuidFromText(text: string): string {
  const hex = [0, 1, 2].map((seed) => hash53(text, seed).toString(16).padStart(14, '0')).join('');
  return `${hex.slice(1, 9)}-${hex.slice(9, 13)}-8${hex.slice(16, 19)}-a${hex.slice(19, 22)}-${hex.slice(23, 28)}${hex.slice(29, 36)}`;
}

/** Hashes to 32 bits, for checksums: FNV-1a. */
export function hash32(text: string, start = 0x81_1c_9d_c5): number {
  let hash = start;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01_00_01_93);
  return hash >>> 0;
}

/** Hashes to 32 bits that depend on all of the text, for shares of a table: mixed at the end, as in MurmurHash3. */
export function mixedHash32(text: string, start?: number): number {
  let hash = hash32(text, start);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85_eb_ca_6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2_b2_ae_35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** cyrb53, a public-domain hash. */
function hash53(text: string, seed: number): number {
  let [a, b] = [0xdeadbeef ^ seed, 0x41c6ce57 ^ seed];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    a = Math.imul(a ^ unit, 2_654_435_761);
    b = Math.imul(b ^ unit, 1_597_334_677);
  }
  a = Math.imul(a ^ (a >>> 16), 2_246_822_507) ^ Math.imul(b ^ (b >>> 13), 3_266_489_909);
  b = Math.imul(b ^ (b >>> 16), 2_246_822_507) ^ Math.imul(a ^ (a >>> 13), 3_266_489_909);
  return 4_294_967_296 * (2_097_151 & b) + (a >>> 0);
}
