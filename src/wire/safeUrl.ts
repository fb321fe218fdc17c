import { URL_MAX_LENGTH } from './limits.ts';
import { isLoopbackHost } from './loopback.ts';

/** Which URLs `safeUrl` accepts besides https. */
export interface UrlOptions {
  /** Accepts plain http to this machine, for a sandbox on localhost. */
  readonly allowLoopback?: boolean | undefined;
}

/**
 * Returns the normalized URL when it is safe to show or open: https, no credentials, at most 8 KB. Otherwise `undefined`.
 * Use only the result: the input can hide its scheme behind tabs and newlines.
 */
export function safeUrl(text: unknown, options: UrlOptions = {}): string | undefined {
  if (typeof text !== 'string' || text.length > URL_MAX_LENGTH) return undefined;
  try {
    const { protocol, hostname, username, password, href } = new URL(text);
    const isSafe = protocol === 'https:' || (options.allowLoopback && protocol === 'http:' && isLoopbackHost(hostname));
    return isSafe && !username && !password && href.length <= URL_MAX_LENGTH ? href : undefined;
  } catch {
    return undefined;
  }
}
