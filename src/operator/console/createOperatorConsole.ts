import { refuseBrowser } from '../../wire/refuseBrowser.ts';
import { refuseForeign } from '../../http/refuseForeign.ts';
import { createApi } from './api/createApi.ts';
import type { ConsoleOptions } from './consoleOptions.ts';
import { servePage } from './servePage.ts';

const ENTRY = 'offerlet/console';
refuseBrowser(ENTRY);

/** Who sent a request. */
export interface ConsoleVisitor {
  readonly ip?: string | undefined;
}

/** No source but its own, nothing inline, no markup from text, in nobody's frame. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');
const HEADERS = {
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

/**
 * Creates the operators' console: a page, and the calls that it makes. It responds to pages of its own origin and programs of
 * this machine only, because whoever can reach it acts with the key.
 */
export function createOperatorConsole(
  options: ConsoleOptions,
): (request: Request, from?: ConsoleVisitor) => Promise<Response> {
  refuseBrowser(ENTRY);
  const base = `/${(options.basePath ?? '').replace(/^\/+|\/+$/g, '')}/`.replace('//', '/');
  const api = createApi(options);

  return async (request, from = {}) => {
    const { pathname } = new URL(request.url);
    const path = `${pathname}/`.startsWith(base) ? pathname.slice(base.length) : undefined;
    const response =
      refuseForeign(request, {
        ip: from.ip,
        hosts: options.hosts,
        controlHost: options.hosts !== undefined,
        // A report's URL can be sent to somebody, who opens it from there.
        allowVisits: path?.startsWith('api/') === false,
      }) ??
      (path === undefined
        ? notFound()
        : path.startsWith('api/')
          ? await api(request, path.slice('api/'.length))
          : await servePage(request, { base, path }));
    const headers = new Headers(response.headers);
    for (const [name, value] of Object.entries(HEADERS)) headers.set(name, value);
    return new Response(response.body, { status: response.status, headers });
  };
}

function notFound(): Response {
  return new Response('Not found', { status: 404 });
}
