/**
 * Throws when an entry that holds a secret key runs on a page, where everybody could read the key. Workers, Deno and edge
 * runtimes have no `document`.
 */
export function refuseBrowser(entry: string, scope: object = globalThis): void {
  if ('window' in scope && 'document' in scope) {
    throw new Error(
      `${entry} holds a secret key and must not run in a browser, where everybody could read it. Run it on a server; on pages, load 'offerlet'.`,
    );
  }
}
