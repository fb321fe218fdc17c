/** Who sent a request, by its IP address. */
export interface Client {
  /** The address, without what surrounds it. */
  readonly address: string;
  /** The IPv4 address, or the /64 network of an IPv6 address, which belongs to one household or server. */
  readonly host: string;
  /** The IPv4 address, or the /48 network of an IPv6 address: the most that one customer usually gets. */
  readonly network: string;
}

const ADDRESS_MAX_LENGTH = 64;
/** Four bytes, with leading zeros as some proxies write them. */
const BYTE = '(?:[01]?\\d?\\d|2[0-4]\\d|25[0-5])';
const IPV4 = new RegExp(`^${BYTE}(?:\\.${BYTE}){3}$`);

/**
 * Reads an IP address as sockets and proxies write it: without a port, brackets or a zone. An IPv4-mapped address
 * (`::ffff:192.0.2.1`), and one that a translator or tunnel made of an IPv4 address, becomes plain IPv4. `undefined` for
 * a text that is not an IP address.
 */
export function readClient(text: unknown): Client | undefined {
  if (typeof text !== 'string' || text === '' || text.length > ADDRESS_MAX_LENGTH) return undefined;
  if (IPV4.test(text)) return ofIPv4(text);
  const address = text
    .trim()
    .toLowerCase()
    .replace(/^\[(.*)\](:\d+)?$/, '$1')
    .replace(/^(\d+(?:\.\d+){3}):\d+$/, '$1')
    .replace(/%.*$/, '');
  if (IPV4.test(address)) return ofIPv4(address);
  const groups = readIpv6Groups(address);
  if (!groups) return undefined;
  const ipv4 = embeddedIPv4(groups);
  if (ipv4 !== undefined) return ofIPv4(ipv4);
  const [host, network] = [4, 3].map((count) => `${groups.slice(0, count).join(':')}::/${count * 16}`);
  return host && network ? { address, host, network } : undefined;
}

/** Whether an address, as `readClient` returns it, is of this machine or of a private network. */
export function isLocalAddress(address: string): boolean {
  return LOCAL.test(address);
}

const LOCAL = /^(127\.|10\.|192\.168\.|169\.254\.|172\.(1[6-9]|2\d|3[01])\.|::1$|f[cd][0-9a-f]{2}:|fe[89ab][0-9a-f]:)/;

function ofIPv4(text: string): Client {
  const address = text.replace(/\b0+(?=\d)/g, '');
  return { address, host: address, network: address };
}

/** Prefixes of 96 bits before an IPv4 address: mapped, translated (SIIT), NAT64. */
const BEFORE_IPV4: readonly string[] = ['0:0:0:0:0:ffff', '0:0:0:0:ffff:0', '64:ff9b:0:0:0:0', '64:ff9b:1:0:0:0'];
/** Its next two groups are an IPv4 address. */
const SIX_TO_FOUR = '2002';

function embeddedIPv4(groups: readonly string[]): string | undefined {
  const isLast = BEFORE_IPV4.includes(groups.slice(0, 6).join(':'));
  if (!isLast && groups[0] !== SIX_TO_FOUR) return undefined;
  return (isLast ? groups.slice(6) : groups.slice(1, 3))
    .flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255])
    .join('.');
}

/** The eight groups of an IPv6 address without leading zeros; `undefined` for another text. */
function readIpv6Groups(address: string): readonly string[] | undefined {
  const plain = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (text, ...bytes: string[]) => {
    if (!IPV4.test(text)) return text;
    const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
  const [left = '', right, ...rest] = plain.split('::');
  const head = left === '' ? [] : left.split(':');
  const tail = right === undefined || right === '' ? [] : right.split(':');
  const gap = 8 - head.length - tail.length;
  const isWhole = right === undefined ? gap === 0 : gap > 0;
  const groups = [...head, ...Array<string>(Math.max(0, gap)).fill('0'), ...tail];
  if (!isWhole || rest.length > 0 || !groups.every((group) => /^[0-9a-f]{1,4}$/.test(group))) return undefined;
  return groups.map((group) => Number.parseInt(group, 16).toString(16));
}
