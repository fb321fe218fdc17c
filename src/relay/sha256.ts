import { hashText, normalizeEmail } from '../wire/hash.ts';

/** Returns the SHA-256 of a text in lower-case hex: at once where Node has it, which Web Crypto takes 50 times as long for. */
export function sha256(text: string): string | Promise<string> {
  const node = globalThis.process?.getBuiltinModule?.('node:crypto');
  return typeof node?.hash === 'function' ? node.hash('sha256', text, 'hex') : hashText(text);
}

/** The `email_hash` of an email. */
export function emailHash(email: string): string | Promise<string> {
  return sha256(normalizeEmail(email));
}
