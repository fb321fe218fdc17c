import { fail } from './optionValue.ts';

/** The path that the relay is mounted at, without a slash at its end: empty for the root. */
export function readBasePath(basePath: unknown): string {
  if (basePath === undefined) return '';
  if (typeof basePath !== 'string' || !/^\/[\w\-./~]*$/.test(basePath) || /\/\/|\/\.\.?(\/|$)/.test(basePath)) {
    fail("basePath must be a plain path that begins with a slash, such as basePath: '/offers'.");
  }
  return basePath.replace(/\/$/, '');
}

/** The other origins whose pages may use the relay. */
export function readOrigins(origins: unknown): ReadonlySet<string> {
  if (origins === undefined) return new Set();
  if (!Array.isArray(origins)) fail("allowedOrigins must be a list, such as allowedOrigins: ['https://shop.example'].");
  for (const origin of origins as readonly unknown[]) {
    const isExact =
      typeof origin === 'string' &&
      URL.canParse(origin) &&
      /^https?:$/.test(new URL(origin).protocol) &&
      new URL(origin).origin === origin;
    if (!isExact)
      fail(
        `allowedOrigins holds '${String(origin)}': write exact origins only, such as 'https://shop.example', with no path, no slash at the end and no *.`,
      );
  }
  return new Set(origins as readonly string[]);
}

/** The name of the header in which a proxy of the merchant tells the shopper's address, in the lower case that Node uses. */
export function readHeaderName(name: unknown): string | undefined {
  if (name === undefined) return undefined;
  if (typeof name === 'string' && /^[a-z0-9-]+$/i.test(name)) return name.toLowerCase();
  return fail(
    "addressHeader must be the name of a header that your own proxy sets, such as addressHeader: 'x-forwarded-for'.",
  );
}
