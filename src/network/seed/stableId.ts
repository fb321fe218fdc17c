import { createHash } from 'node:crypto';

/** The UUID for a name. It never changes: demo ids are the same on every machine and after every reset. */
export function stableId(kind: string, name: string): string {
  const hex = createHash('sha256').update(`offerlet/${kind}/${name}`).digest('hex');
  // Version 8 (RFC 9562) leaves the meaning of the bits to the application.
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
