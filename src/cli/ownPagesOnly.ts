import type { Client } from './listen.ts';

const LOOPBACK_ADDRESS = /^(?:127\.|::1$|::ffff:127\.)/;
const LOOPBACK_HOST = /^(?:127(?:\.\d{1,3}){3}|localhost|\[::1\])$/;

/**
 * Why a request that changes something is refused, or `undefined` when this machine's own pages or programs sent it.
 * A website that is open in the same browser reaches a loopback port too, under a name of its own (DNS rebinding) or not.
 */
export function foreignReason(request: Request, from: Client): string | undefined {
  const url = new URL(request.url);
  if (from.ip !== undefined && !LOOPBACK_ADDRESS.test(from.ip)) return 'This answers to this machine only.';
  if (!LOOPBACK_HOST.test(url.hostname))
    return `This answers at 127.0.0.1 and localhost only, not as ${url.hostname.slice(0, 80)}.`;
  const origin = request.headers.get('origin');
  if (origin !== null && origin !== url.origin) return 'This does not answer to pages of another origin.';
  const site = request.headers.get('sec-fetch-site');
  // `none`: the address bar, which only reads. `same-site` would be any other port of this machine.
  const isOwn = site === null || site === 'same-origin' || (site === 'none' && isReading(request));
  return isOwn ? undefined : 'This does not answer to pages of another origin.';
}

/** Tells whether a request only reads. */
export function isReading({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD';
}
