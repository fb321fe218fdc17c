import type { Check, CheckInput } from './check.ts';

/** Milliseconds that an image may take. */
const IMAGE_MS = 8_000;
/** Milliseconds that the relay may take. */
const RELAY_MS = 4_000;
/** Maximum images that are loaded for the check. */
const IMAGES_MAX = 20;

/** Checks that the relay responds. */
export async function relayCheck({ mount, fetch, refused }: CheckInput): Promise<Check> {
  const title = 'Relay';
  const url = `${mount.relay}/health`;
  if (!mount.relay)
    return {
      state: 'bad',
      title,
      text: 'The page does not name a relay. Use relay: "/offers", the path at which it is mounted.',
    };
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout?.(RELAY_MS) ?? null, cache: 'no-store' });
    if (response.ok) return { state: 'good', title, text: `${url} returns ${response.status}.` };
    const advice = response.status === 404 ? 'Mount the relay there, or correct the path on the page.' : 'See its log.';
    return { state: 'bad', title, text: `${url} returns ${response.status}. ${advice}` };
  } catch (error) {
    const isBlocked = refused.some(({ directive }) => directive === 'connect-src');
    const advice = isBlocked
      ? `The page's Content-Security-Policy blocks it: add ${new URL(url).origin} to connect-src.`
      : 'Either it is down, or it does not allow this origin, or an ad blocker blocks it. Open the URL in its own tab. Turn off blockers for this page. A path without "ad" or "offer" in it may help.';
    return { state: 'bad', title, text: `${url} does not respond (${String(error)}). ${advice}` };
  }
}

/** Checks that the images of the offers load. */
export async function imageCheck({ mount, refused }: CheckInput): Promise<Check> {
  const title = 'Images';
  const urls = imagesIn(mount.json);
  if (urls.length === 0) return { state: 'note', title, text: 'The response has no images.' };
  const failed = (await Promise.all(urls.map(async (url) => ((await canLoad(url)) ? [] : [url])))).flat();
  if (failed.length === 0) return { state: 'good', title, text: `All ${urls.length} images of the response load.` };
  const origins = [...new Set(failed.map((url) => new URL(url).origin))];
  const isBlocked = refused.some(({ directive }) => directive === 'img-src');
  const advice = isBlocked
    ? `The page's Content-Security-Policy blocks them: add ${origins.join(' ')} to img-src.`
    : `Either an ad blocker blocks them, or ${origins.join(', ')} does not serve them.`;
  return {
    state: 'bad',
    title,
    text: `${failed.length} of ${urls.length} images do not load; logos are replaced by letters. ${advice}`,
  };
}

function imagesIn(json: unknown): string[] {
  const found = JSON.stringify(json ?? null).matchAll(/"(?:logo_url|image_url)":"([^"]+)"/g);
  return [...new Set([...found].map(([, url]) => url ?? ''))].filter((url) => URL.canParse(url)).slice(0, IMAGES_MAX);
}

function canLoad(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const image = new Image();
    image.referrerPolicy = 'no-referrer';
    image.addEventListener('load', () => resolve(true));
    image.addEventListener('error', () => resolve(false));
    setTimeout(() => resolve(false), IMAGE_MS);
    image.src = url;
  });
}
