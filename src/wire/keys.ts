// A key's prefix says what it grants and in which environment; see docs/project/wire.md#keys.

export type Environment = 'production' | 'staging';

const FAMILIES = { sk: 'secret', pk: 'publishable', rk: 'integration', rp: 'partner_wide' } as const;
type KeyFamily = (typeof FAMILIES)[keyof typeof FAMILIES];

/** Reads a key's family and environment from its prefix. Returns `undefined` when it is not a key of this kind of network. */
export function readKey(key: string): { family: KeyFamily; environment: Environment } | undefined {
  const parts = /^adnet_(sk|pk|rk|rp)_(live|test)_\S+$/.exec(key);
  if (!parts) return undefined;
  const family = FAMILIES[parts[1] as keyof typeof FAMILIES];
  return { family, environment: parts[2] === 'live' ? 'production' : 'staging' };
}

/** Whether a URL would carry a key in the clear. Only keys that are certainly not live may be: those of staging. */
export function isInTheClear({ protocol, hostname }: URL, environment: Environment | undefined): boolean {
  return protocol === 'http:' && environment !== 'staging' && !isLoopbackHost(hostname);
}

/** Whether a text contains something that looks like a key which must never reach a browser. */
export function looksSecret(text: string): boolean {
  return /adnet_(sk|rk|rp)_/.test(text);
}

/** Hides a key wherever a text repeats it, in upper or lower case. */
export function hideKey(text: string, key: string): string {
  if (key === '') return text;
  return text.replaceAll(new RegExp(key.replaceAll(/\W/g, String.raw`\$&`), 'gi'), '[key]');
}

/**
 * Throws when an entry that holds a secret key runs on a page, where everybody could read the key. Workers, Deno and edge
 * runtimes have no `document`.
 */
export function refuseBrowser(entry: string, scope: object = globalThis): void {
  if ('window' in scope && 'document' in scope) {
    throw new Error(
      `${entry} holds a secret key and must not run in a browser, where everybody could read it. Run it on a server; on pages, load 'offerlet'.`,
    );
  }
}

/** Whether a host name names this machine. Expects the form that `URL` gives it: lower case, IPv6 in brackets. */
export function isLoopbackHost(hostname: string): boolean {
  // Browsers resolve every name under .localhost to this machine.
  return /^(([^.]+\.)*localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

/** Whether an IP address belongs to this machine. Sockets report IPv4 peers as `::ffff:127.0.0.1` too. */
export function isLoopbackAddress(ip: string): boolean {
  return /^((::ffff:)?127(\.\d+){3}|::1)$/.test(ip);
}
