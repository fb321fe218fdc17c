import { domainToASCII } from 'node:url';

/** What makes two brand names the same: letters, not how they were typed (C21). */
export function brandKey(brandName: string): string {
  return brandName.normalize('NFC').trim().replace(/\s+/gu, ' ').toLowerCase();
}

/** What makes two domains the same, or `undefined` when the text names none: no scheme, path, port, `www.` or final dot; punycode (C21). */
export function domainKey(domain: string): string | undefined {
  const host = domain
    .trim()
    .replace(/^[a-z][a-z0-9+.-]*:\/\//i, '')
    .replace(/[/?#].*$/s, '')
    .replace(/^.*@/s, '')
    .replace(/:\d*$/, '');
  const ascii = domainToASCII(host.replace(/[.。．｡]+$/u, ''))
    .toLowerCase()
    .replace(/^www\./, '');
  return isHostName(ascii) ? ascii : undefined;
}

/** At least two labels of RFC 1123, and no bare IP address: a brand has a website, not a machine. */
function isHostName(host: string): boolean {
  const labels = host.split('.');
  return (
    host.length <= 253 &&
    labels.length >= 2 &&
    labels.every((label) => /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/.test(label)) &&
    !/^\d+$/.test(labels.at(-1) ?? '')
  );
}
