/** Throws on a page: a secret key must never be there. Workers, Deno and edge runtimes have no `document`. */
export function refuseBrowser(scope: object = globalThis): void {
  if ('window' in scope && 'document' in scope) {
    throw new Error(
      'offerlet/clients must not be loaded in a browser: everybody who opens the page could read the secret key. Call it from a server.',
    );
  }
}
