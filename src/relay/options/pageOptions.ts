import { quote } from '../../http/networkAccess.ts';
import { isObject } from '../../wire/json.ts';
import type { DedupeStore } from '../dedupe/dedupeStore.ts';
import { refuseOption } from '../optionValue.ts';
import type { RelayTimeouts } from './relayOptions.ts';

/** The path at which the relay is mounted, without a slash at its end: empty for the root. */
export function readBasePath(basePath: unknown): string {
  if (basePath === undefined) return '';
  if (typeof basePath !== 'string' || !/^\/[\w\-./~]*$/.test(basePath) || /\/\/|\/\.\.?(\/|$)/.test(basePath))
    refuseOption(
      'basePath',
      `is not a path: ${quote(basePath)}. Use a plain path that begins with a slash, such as "/offers".`,
    );
  return basePath.replace(/\/$/, '');
}

/** The other origins whose pages may use the relay. */
export function readOrigins(origins: unknown): ReadonlySet<string> {
  if (origins === undefined) return new Set();
  if (!Array.isArray(origins))
    refuseOption('allowedOrigins', 'must be a list of origins, such as ["https://shop.example"].');
  for (const origin of origins as readonly unknown[]) {
    if (!isExactOrigin(origin))
      refuseOption(
        'allowedOrigins',
        `contains ${quote(origin)}. Use exact origins such as "https://shop.example", with no path, no slash at the end and no *.`,
      );
  }
  return new Set(origins as readonly string[]);
}

/** Headers that hold something else than addresses, or addresses in another format. */
const NO_ADDRESS = /^(authorization|cookie|forwarded|host|origin|referer|user-agent|via|x-forwarded-(host|proto))$/i;

/** The name of the header with the shopper's IP address, in the lower case that Node uses. */
export function readAddressHeader(name: unknown): string | undefined {
  if (name === undefined) return undefined;
  if (typeof name === 'string' && NO_ADDRESS.test(name))
    return refuseOption(
      'addressHeader',
      `must not be ${quote(name)}, which does not hold plain IP addresses. Use a header that does and that your own proxy sets, such as "x-forwarded-for", "x-real-ip" or "cf-connecting-ip".`,
    );
  if (typeof name === 'string' && /^[a-z0-9-]+$/i.test(name)) return name.toLowerCase();
  return refuseOption(
    'addressHeader',
    `is not the name of a header: ${quote(name)}. Use one that your own proxy sets, such as "x-forwarded-for".`,
  );
}

function isExactOrigin(origin: unknown): boolean {
  if (typeof origin !== 'string' || !URL.canParse(origin)) return false;
  const url = new URL(origin);
  return /^https?:$/.test(url.protocol) && url.origin === origin;
}

/** The store of accepted events. Refuses one without its methods, and one whose claims expire too early. */
export function readDedupe(dedupe: unknown, timeouts: RelayTimeouts): DedupeStore | undefined {
  if (dedupe === undefined) return undefined;
  const hasAll = isObject(dedupe) && ['claim', 'accept', 'release'].every((name) => typeof dedupe[name] === 'function');
  if (!hasAll)
    return refuseOption(
      'dedupe',
      'must have claim, accept and release. Use createDedupeMemory(), await openDedupeFile(directory) or await openDedupeRedis({ url }).',
    );
  const store = dedupe as unknown as DedupeStore;
  const { ledger }: { ledger?: unknown } = store;
  const isLedger =
    isObject(ledger) &&
    ['add', 'openSession', 'placementsOf', 'read'].every((name) => typeof ledger[name] === 'function');
  if (ledger !== undefined && !isLedger)
    refuseOption('dedupe', 'has a ledger without add, openSession, placementsOf and read. Add them, or leave it out.');
  // To claim it, to forward it, and to write that it was accepted.
  const needed = timeouts.events + 2 * timeouts.dedupe;
  if (store.claimMs !== undefined && !(store.claimMs >= needed))
    return refuseOption(
      'dedupe',
      `has a claimMs of ${store.claimMs}, but an event can be on its way for ${needed} milliseconds (timeouts.events, and twice timeouts.dedupe), and another relay would send it again. Use a claimMs of ${needed} or more, or shorter timeouts.`,
    );
  return store;
}
