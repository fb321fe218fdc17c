import { readFile } from 'node:fs/promises';
import { brotliDecompressSync } from 'node:zlib';

/** What the page loads, by the name in its URL. */
const FILES: Readonly<Record<string, string>> = {
  'console.js': 'text/javascript; charset=utf-8',
  'console.css': 'text/css; charset=utf-8',
};
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#4f46e5"/><path d="M8 21.5 13.5 15l4 3.5L24 11" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/></svg>`;

/** Serves the page and its files. Every other path is the page as well: it reads its own URL. */
export async function servePage(
  request: Request,
  at: { readonly base: string; readonly path: string },
): Promise<Response> {
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
