import { URL_MAX_LENGTH } from './limits.ts';

/** What `safeUrl` and the readers that use it let through besides https. */
export interface UrlOptions {
  /** Let plain http to this machine through, as a sandbox on localhost needs it. */
  readonly allowLoopback?: boolean | undefined;
}

/**
 * The normalised address when it may be shown or opened: https, no credentials, at most 8 KB.
 * `undefined` for everything else. Only the result may be used: the input can hide its scheme behind tabs and newlines.
 */
export function safeUrl(text: unknown, options: UrlOptions = {}): string | undefined {
  if (typeof text !== 'string' || text.length > URL_MAX_LENGTH) return undefined;
  try {
    const { protocol, hostname, username, password, href } = new URL(text);
    const isLoopback = /^(([^.]+\.)*localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
    const isOpen = protocol === 'https:' || (options.allowLoopback === true && protocol === 'http:' && isLoopback);
    return isOpen && !username && !password && href.length <= URL_MAX_LENGTH ? href : undefined;
  } catch {
    return undefined;
  }
}
