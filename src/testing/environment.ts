/** What a document without layout never reports, because nothing in it is ever on screen. */
const NEEDS_LAYOUT = /_(DISPLAY|VIEW)$/;

/** Throws where the globals of Node that the kit needs are hidden. */
export function requireFetch(): void {
  const missing = ['Request', 'Response', 'Headers'].filter((name) => !(name in globalThis));
  if (missing.length === 0) return;
  throw new Error(
    `offerlet/testing needs ${missing.join(', ')}, which this environment hides. jest-environment-jsdom does that: use jest-fixed-jsdom, or Jest's node environment.`,
  );
}

/** Returns the name of a simulated browser, or `undefined` in Node and in real browsers. */
export function simulatedBrowser(): 'jsdom' | 'happy-dom' | undefined {
  const agent = String((globalThis.navigator as Navigator | undefined)?.userAgent);
  return /jsdom/i.test(agent) ? 'jsdom' : /happy-?dom/i.test(agent) ? 'happy-dom' : undefined;
}

/** Says why an event cannot occur in this environment. Returns `undefined` when it can. */
export function impossibleHere(name: string): string | undefined {
  const environment = simulatedBrowser();
  if (environment === undefined || !NEEDS_LAYOUT.test(name)) return undefined;
  return `${environment} has no layout, so nothing is ever on screen and no ${name} can occur. Test what is seen with offerlet/testing/playwright.`;
}
