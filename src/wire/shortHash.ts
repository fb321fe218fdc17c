/** Hashes to 106 bits, synchronously and without `crypto.subtle`: enough to tell apart what one device has. */
export function shortHash(text: string): string {
  return [0, 1].map((seed) => hash53(text, seed).toString(36)).join('-');
}

/** Returns the same UUID for the same text (version 8: its bits are a hash, and not a cryptographic one). */
export function uuidOf(text: string): string {
  const hex = [0, 1, 2].map((seed) => hash53(text, seed).toString(16).padStart(14, '0')).join('');
  return `${hex.slice(1, 9)}-${hex.slice(9, 13)}-8${hex.slice(16, 19)}-a${hex.slice(19, 22)}-${hex.slice(23, 28)}${hex.slice(29, 36)}`;
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
