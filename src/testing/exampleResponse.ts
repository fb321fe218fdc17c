import { EXAMPLE_HOST } from './exampleOffers.ts';

/** Returns the page to which an example offer leads, so that a test needs no network. */
export function exampleResponse(url: string): Response | undefined {
  const { hostname, pathname } = new URL(url);
  if (hostname !== EXAMPLE_HOST) return undefined;
  return new Response(targetPage(pathname), { headers: { 'content-type': 'text/html; charset=utf-8' } });
}

/** Returns the page that the kit shows in place of a target. */
export function targetPage(name: string): string {
  return `<!doctype html><html lang="en"><title>Target of an offer</title><h1>Target of an offer</h1><p>${encodeURI(name)}`;
}
