/** The host name of `localhost`, `ci.example` or `[::1]:4600` as `URL` writes it, without the port; `undefined` for anything else. */
export function readHostName(text: string): string | undefined {
  // A path, a query or credentials would parse as part of a URL and name another host than the text shows.
  if (text === '' || /[\s/?#@\\]/.test(text)) return undefined;
  const url = `http://${text}`;
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}
