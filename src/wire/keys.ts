// Keys tell by their prefix what they open and where.

export type Environment = 'production' | 'staging';
export type KeyFamily = 'secret' | 'publishable' | 'integration' | 'partner_wide';

const FAMILIES: Readonly<Record<string, KeyFamily>> = {
  sk: 'secret',
  pk: 'publishable',
  rk: 'integration',
  rp: 'partner_wide',
};

/** What the text of a key says about itself, or `undefined` when it is not a key of this network. */
export function readKey(key: string): { family: KeyFamily; environment: Environment } | undefined {
  const parts = /^adnet_(sk|pk|rk|rp)_(live|test)_\S+$/.exec(key);
  if (!parts) return undefined;
  return { family: FAMILIES[parts[1] ?? ''] ?? 'secret', environment: parts[2] === 'live' ? 'production' : 'staging' };
}

/** Tells whether a text looks like a key that must never reach a browser. */
export function looksSecret(text: string): boolean {
  return /adnet_(sk|rk|rp)_/.test(text);
}
