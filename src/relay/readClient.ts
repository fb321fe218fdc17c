import { embeddedIPv4, isIPv4, readIpv6Groups } from '../http/addressSpace.ts';

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
/**
 * Reads an IP address as sockets and proxies write it: without a port, brackets or a zone. An IPv4-mapped address
 * (`::ffff:192.0.2.1`), and one that a translator or tunnel made of an IPv4 address, becomes plain IPv4. `undefined` for
 * a text that is not an IP address.
 */
export function readClient(text: unknown): Client | undefined {
  if (typeof text !== 'string' || text === '' || text.length > ADDRESS_MAX_LENGTH) return undefined;
  if (isIPv4(text)) return ofIPv4(text);
  const address = text
    .trim()
    .toLowerCase()
    .replace(/^\[(.*)\](:\d+)?$/, '$1')
    .replace(/^(\d+(?:\.\d+){3}):\d+$/, '$1')
    .replace(/%.*$/, '');
  if (isIPv4(address)) return ofIPv4(address);
  const groups = readIpv6Groups(address);
  if (!groups) return undefined;
  // A NAT64 of a provider's own: to the doctor such an address is near, to the relay it is the client behind it.
  const isTranslated = groups[0] === 0x64 && groups[1] === 0xff9b && groups[2] === 1;
  const ipv4 = embeddedIPv4(isTranslated ? groups.with(2, 0) : groups);
  if (ipv4 !== undefined) return ofIPv4(ipv4);
  const [host = '', network = ''] = [4, 3].map((count) => {
    const first = groups.slice(0, count).map((group) => group.toString(16));
    return `${first.join(':')}::/${count * 16}`;
  });
  return { address, host, network };
}

function ofIPv4(text: string): Client {
  const address = text.replace(/\b0+(?=\d)/g, '');
  return { address, host: address, network: address };
}
