/** What a document without layout never reports, because nothing in it is ever on screen. */
const NEEDS_LAYOUT = /_(DISPLAY|VIEW)$/;

/** Throws where the globals of Node that the kit needs are hidden. */
export function requireFetch(): void {
  const missing = ['Request', 'Response', 'Headers'].filter((name) => !(name in globalThis));
  if (missing.length === 0) return;
  throw new Error(
    `offerlet/testing needs ${missing.join(', ')}, which this environment hides. jest-environment-jsdom does that: add 'offerlet/testing/jsdom' to setupFiles.`,
  );
}

/** Returns the name of a simulated browser, or `undefined` in Node and in real browsers. */
function simulatedBrowser(): 'jsdom' | 'happy-dom' | undefined {
  const agent = String((globalThis.navigator as Navigator | undefined)?.userAgent);
  return /jsdom/i.test(agent) ? 'jsdom' : /happy-?dom/i.test(agent) ? 'happy-dom' : undefined;
}

/** Says why an event cannot occur in this environment. Returns `undefined` when it can. */
export function impossibleHere(name: string): string | undefined {
  const environment = simulatedBrowser();
  if (environment === undefined) return undefined;
  if (NEEDS_LAYOUT.test(name))
    return `${environment} has no layout, so nothing is ever on screen and no ${name} can occur. Test what is seen with offerlet/testing/playwright.`;
  return lacksWidget() ? NO_WIDGET : undefined;
}

const NO_WIDGET =
  "jsdom has no IntersectionObserver, so showOffers() shows nothing in it. Add 'offerlet/testing/jsdom' to setupFiles.";
let hasWarned = false;

/** Warns once where the widget cannot be shown at all. */
export function warnWithoutWidget(): void {
  if (hasWarned || !lacksWidget()) return;
  hasWarned = true;
  // oxlint-disable-next-line no-console -- a test that waits for offers here would otherwise fail without a reason
  console.warn(`offerlet/testing: ${NO_WIDGET}`);
}

function lacksWidget(): boolean {
  return simulatedBrowser() === 'jsdom' && !('IntersectionObserver' in globalThis);
}
