import type { BlockList } from 'node:net';

/** How far an address reaches: the Internet, this network, or this machine. See https://wicg.github.io/local-network-access/ */
export type AddressSpace = 'public' | 'local' | 'loopback';

/** This machine: `0.0.0.0` leads to it, and at link-local and a few other addresses clouds serve its credentials. */
const LOOPBACK = blockList([
  '127.0.0.0/8',
  '0.0.0.0/8',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '192.0.0.192/32',
  'fe80::/10',
  'fd00:ec2::254/128',
  'fd20:ce::254/128',
]);
/** Private networks, and addresses that mean something nearby only. */
const LOCAL = blockList([
  '10.0.0.0/8',
  '100.64.0.0/10',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '224.0.0.0/3',
]);

/** Four bytes, with leading zeros as some proxies write them. */
const BYTE = '(?:[01]?\\d?\\d|2[0-4]\\d|25[0-5])';
const IPV4 = new RegExp(`^${BYTE}(?:\\.${BYTE}){3}$`);

export function isIPv4(text: string): boolean {
  return IPV4.test(text);
}

/** Returns the IPv4 address that an IPv6 address carries, and leads to; `undefined` for any other. */
export function embeddedIPv4(groups: readonly number[]): string | undefined {
  const [first = 0, second = 0, third = 0] = groups;
  const isZero = (from: number, to: number): boolean => groups.slice(from, to).every((group) => group === 0);
  const carriesLast =
    (isZero(0, 5) && groups[5] === 0xffff) || // mapped
    (isZero(0, 6) && (groups[6] !== 0 || (groups[7] ?? 0) > 1)) || // compatible, but neither :: nor ::1
    (isZero(0, 4) && groups[4] === 0xffff && groups[5] === 0) || // translated
    (first === 0x64 && second === 0xff9b && isZero(2, 6)); // NAT64
  if (carriesLast) return ipv4Text(groups.slice(6));
  return first === 0x2002 ? ipv4Text([second, third]) : undefined; // 6to4
}

/** Returns the IPv4 address that an IPv6 address carries; any other address as it is, without its zone. */
export function innermostAddress(address: string): string {
  const groups = readIpv6Groups(address);
  return (groups && embeddedIPv4(groups)) ?? address.replace(/%.*/, '');
}

/**
 * Returns the space of an IP address. An IPv6 address that carries an IPv4 address has the space of that one. Without
 * node:net, as in a Worker, no address is known to be near.
 */
export function readAddressSpace(given: string): AddressSpace {
  const address = innermostAddress(given);
  if (isIPv4(address)) return LOOPBACK?.check(address) ? 'loopback' : LOCAL?.check(address) ? 'local' : 'public';
  const groups = readIpv6Groups(address) ?? [];
  const [first = 0, second = 0] = groups;
  const isUnset = groups.slice(0, 7).every((group) => group === 0); // :: and ::1
  if (isUnset || LOOPBACK?.check(address, 'ipv6')) return 'loopback';
  // Global unicast, without Teredo, which carries an IPv4 address as well, and what must not be routed.
  const isGlobal = (first & 0xe000) === 0x2000 && !(first === 0x2001 && (second < 0x200 || second === 0xdb8));
  return isGlobal ? 'public' : 'local';
}

/** Whether one space is at least as public as another. */
export function isAsPublicAs(space: AddressSpace, other: AddressSpace): boolean {
  const order: readonly AddressSpace[] = ['public', 'local', 'loopback'];
  return order.indexOf(space) <= order.indexOf(other);
}

/** Returns the eight groups of an IPv6 address; `undefined` for another text. */
export function readIpv6Groups(text: string): readonly number[] | undefined {
  const url = `http://[${text.replace(/%.*/, '')}]`;
  if (!/^http:..\[[\da-f:.]+\]$/i.test(url) || !URL.canParse(url)) return undefined;
  // `URL` writes the form without dots.
  const [head, tail] = new URL(url).hostname.slice(1, -1).split('::');
  const read = (part = ''): number[] => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)));
  const [before, after] = [read(head), read(tail)];
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}

function ipv4Text([high = 0, low = 0]: readonly number[]): string {
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
}

function blockList(networks: readonly string[]): BlockList | undefined {
  const net = globalThis.process?.getBuiltinModule?.('node:net');
  // Other runtimes may have a part of it.
  const list = typeof net?.BlockList === 'function' ? new net.BlockList() : undefined;
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    list?.addSubnet(address, Number(prefix), address.includes(':') ? 'ipv6' : 'ipv4');
  }
  return list;
}
