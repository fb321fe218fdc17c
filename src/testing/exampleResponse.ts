import { EXAMPLE_HOST } from './exampleOffers.ts';

/** Returns what the example offers link to, an image or a page, so that a test needs no network. */
export function exampleResponse(url: string): Response | undefined {
  const { hostname, pathname } = new URL(url);
  if (hostname !== EXAMPLE_HOST) return undefined;
  if (pathname.endsWith('.svg')) return new Response(LOGO, { headers: { 'content-type': 'image/svg+xml' } });
  return new Response(targetPage(pathname), { headers: { 'content-type': 'text/html; charset=utf-8' } });
}

/** Returns the page that the kit shows in place of a target. */
export function targetPage(name: string): string {
  return `<!doctype html><html lang="en"><title>Target of an offer</title><h1>Target of an offer</h1><p>${encodeURI(name)}`;
}

const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><rect width="64" height="64" rx="12" fill="#456"/></svg>';
