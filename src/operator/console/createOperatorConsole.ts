import { readFile } from 'node:fs/promises';
import { brotliDecompressSync } from 'node:zlib';
import { refuseForeign } from '../../http/refuseForeign.ts';
import type { ConsoleOptions } from './consoleOptions.ts';
import { createApi } from './createApi.ts';
import { refuseBrowser } from '../../wire/keys.ts';

const ENTRY = 'offerlet-operator';
refuseBrowser(ENTRY);

/** Who sent a request. */
export interface ConsoleVisitor {
  /** The IP address of the socket. Without it, only names in `hosts` are responded to. */
  readonly ip?: string | undefined;
}

/** No source but its own, nothing inline, no markup from text, in nobody's frame unless the option allows its own origin. */
const policyFor = ({ allowFrame = false }: ConsoleOptions): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    `frame-ancestors ${allowFrame ? "'self'" : "'none'"}`,
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
const HEADERS = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

/**
 * Creates the operators' console: a page, and its calls. It responds only to its own origin and to programs of this
 * machine, because anybody who reaches it acts with the key.
 */
export function createOperatorConsole(
  options: ConsoleOptions,
): (request: Request, from?: ConsoleVisitor) => Promise<Response> {
  refuseBrowser(ENTRY);
  const base = `/${(options.basePath ?? '').replace(/^\/+|\/+$/g, '')}/`.replace('//', '/');
  const api = createApi(options);
  const policy = policyFor(options);

  return async (request, from = {}) => {
    const { pathname } = new URL(request.url);
    const path = `${pathname}/`.startsWith(base) ? pathname.slice(base.length) : undefined;
    const response =
      refuseForeign(request, {
        // Without an address, the server that mounts the console does not know who calls it.
        ip: from.ip ?? '',
        hosts: options.hosts,
        controlHost: options.hosts !== undefined,
        // A report's URL can be sent to somebody, who opens it from there.
        allowVisits: path?.startsWith('api/') === false,
      }) ??
      (path === undefined
        ? new Response('Not found', { status: 404 })
        : path.startsWith('api/')
          ? await api(request, path.slice('api/'.length))
          : await servePage(request, { base, path }));
    const headers = new Headers(response.headers);
    for (const [name, value] of Object.entries(HEADERS)) headers.set(name, value);
    headers.set('content-security-policy', policy);
    return new Response(response.body, { status: response.status, headers });
  };
}

/** What the page loads, by the name in its URL. */
const FILES: Readonly<Record<string, string>> = {
  'console.js': 'text/javascript; charset=utf-8',
  'console.css': 'text/css; charset=utf-8',
};
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#4f46e5"/><path d="M8 21.5 13.5 15l4 3.5L24 11" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/></svg>`;

/** Serves the page and its files. Every other path is the page as well: it reads its own URL. */
async function servePage(request: Request, at: { readonly base: string; readonly path: string }): Promise<Response> {
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return new Response('Method not allowed', { status: 405, headers: { allow: 'GET, HEAD' } });
  if (at.path === 'icon.svg') return respond(ICON, 'image/svg+xml');
  const type = Object.hasOwn(FILES, at.path) ? FILES[at.path] : undefined;
  if (type === undefined) return respond(pageAt(at.base), 'text/html; charset=utf-8');
  const here = import.meta.url; // a bundler would treat `new URL('…', import.meta.url)` as a file to copy
  const file = await readFile(new URL(`./page/${at.path}.br`, here)).catch(() => undefined);
  return file
    ? respond(brotliDecompressSync(file), type)
    : new Response('The console is not built. Run "npm run build".', { status: 500 });
}

function respond(body: BodyInit, type: string): Response {
  return new Response(body, { headers: { 'content-type': type } });
}

/** The page. `base` comes from the process that mounts the console, never from a request. */
function pageAt(base: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>offerlet console</title>
<link rel="icon" href="${base}icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${base}console.css">
<script type="module" src="${base}console.js"></script>
</head>
<body>
<div id="console"><p class="starting" role="status">Opening the console …</p></div>
<noscript><p>The console needs JavaScript.</p></noscript>
</body>
</html>
`;
}
