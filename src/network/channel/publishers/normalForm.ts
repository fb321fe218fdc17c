import { domainToASCII } from 'node:url';

/** Normalizes a brand name for comparison: case, width and spacing do not matter. */
export function brandKey(brandName: string): string {
  return brandName.normalize('NFC').trim().replace(/\s+/gu, ' ').toLowerCase();
}

/** Normalizes a domain for comparison: punycode without scheme, path, port, `www.` and final dot. `undefined` if it is not a domain. */
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

/** Whether a name has at least two labels (RFC 1123) and is not an IP address: a brand's website has a domain. */
function isHostName(host: string): boolean {
  const labels = host.split('.');
  return (
    host.length <= 253 &&
    labels.length >= 2 &&
    labels.every((label) => /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/.test(label)) &&
    !/^\d+$/.test(labels.at(-1) ?? '')
  );
}
