/**
 * Whether a user agent declares itself a bot. `navigator.webdriver` and headless browsers are no such declaration: merchants
 * test with them. CUBOT makes phones.
 */
export function isBot(userAgent: string): boolean {
  return /(^|[^u])bot(?![a-z])|crawl|spider|slurp|mediapartners|facebookexternalhit|lighthouse/i.test(userAgent);
}
