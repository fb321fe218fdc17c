/** Throws on a page: the secret key must never be there. Workers, Deno and edge runtimes have no `document`. */
export function refuseBrowser(entry: string, scope: object = globalThis): void {
  if ('window' in scope && 'document' in scope) {
    throw new Error(
      `${entry} holds the secret key and runs on servers only: load 'offerlet' on pages, and mount ${entry} in your backend.`,
    );
  }
}
