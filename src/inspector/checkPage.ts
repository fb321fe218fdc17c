import type { InspectedMount } from './openMounts.ts';
import type { PageObserver } from './observePage.ts';
import { dom } from '../dom/dom.ts';
import { CONTRAST_ADVICE, type TextContrast, isReadable, measureContrast } from '../dom/contrast.ts';

/** One finding about the page: whether it is fine, and what to do when it is not. */
export interface Check {
  readonly state: 'good' | 'bad' | 'note';
  readonly title: string;
  readonly text: string;
}

/** What the checks look at. */
export interface CheckInput extends Pick<PageObserver, 'refused' | 'shifts'> {
  readonly mount: InspectedMount;
  /** The page's own `fetch`. */
  readonly fetch: typeof globalThis.fetch;
}

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

/** Checks that the script is on the page only once. */
export function scriptCheck(): Check {
  const title = 'Script';
  const scripts = [...dom.querySelectorAll<HTMLScriptElement>('script[src]')].filter(({ src }) =>
    /\/offerlet(\.min)?\.js(\?|$)/.test(src),
  );
  if (scripts.length > 1)
    return {
      state: 'bad',
      title,
      text: `offerlet.js is on this page ${scripts.length} times. The first one works, the others do nothing: remove them.`,
    };
  return {
    state: 'good',
    title,
    text: scripts[0] ? 'One script tag.' : "No script tag: the offers come from the page's own bundle.",
  };
}

/** Reports the page's own modal dialogs, which the widget's layers wait for. */
export function modalCheck(): Check {
  const title = 'Dialogs of the page';
  const open = [...dom.querySelectorAll('dialog:modal, [aria-modal=true]')].filter(
    (dialog) => dialog.getClientRects().length > 0,
  );
  return open.length > 0
    ? { state: 'note', title, text: `${open.length} open: OVERLAY, FULLSCREEN and PULLUP wait until it is closed.` }
    : { state: 'good', title, text: 'None is open.' };
}

/** Reports what limits the widget in this window. */
export function environmentCheck(): Check {
  const title = 'Environment';
  const notes = [
    window === window.top ? '' : 'The page is in a frame: browsers measure visibility only within it.',
    isSecureContext ? '' : 'The page is not on https: responses are not remembered, and tabs do not share one sender.',
    dom.visibilityState === 'visible' ? '' : 'The tab is hidden: nothing counts as seen.',
  ].filter(Boolean);
  return notes.length > 0
    ? { state: 'note', title, text: notes.join(' ') }
    : { state: 'good', title, text: 'A secure, visible page that is not in a frame.' };
}

/** Milliseconds around the rendering of the offers in which a layout shift is attributed to them. */
const ATTRIBUTED_MS = 500;

/** Reports offers that the page or an ad blocker hides. */
export function hiddenChecks(hosts: readonly Element[]): Check[] {
  return hosts.flatMap((host) => {
    const { width, height } = host.getBoundingClientRect();
    const isLayer = host.localName === 'offer-let-layer';
    if (isLayer || (width > 0 && height > 0)) return [];
    const id = host.parentElement?.getAttribute('id');
    const name = id ? `#${id}` : host.localName;
    const size = `${Math.round(width)} × ${Math.round(height)}`;
    return [
      {
        state: 'bad' as const,
        title: 'Place',
        text: `The offers have a box of ${size} pixels: the page or an ad blocker hides ${name}.`,
      },
    ];
  });
}

/** Checks that the page did not move when the offers were rendered. */
export function shiftCheck({ mount, shifts }: CheckInput, hosts: readonly Element[]): Check {
  const title = 'Layout shift';
  if (mount.mode !== 'INLINE')
    return { state: 'good', title, text: `${mount.mode} offers are above the page and move nothing.` };
  if (!PerformanceObserver.supportedEntryTypes.includes('layout-shift'))
    return { state: 'note', title, text: 'This browser does not measure layout shifts. Use Chromium.' };
  const renderedAt = mount.renderedAt ?? Infinity;
  const attributed = shifts.filter(({ at }) => Math.abs(at - renderedAt) <= ATTRIBUTED_MS);
  const height = Math.round(hosts[0]?.getBoundingClientRect().height ?? 0);
  const pixels = Math.round(Math.max(0, ...attributed.map((shift) => shift.pixels)));
  return pixels < 1
    ? { state: 'good', title, text: `Nothing moved when the offers were rendered. They are ${height} px high.` }
    : {
        state: 'bad',
        title,
        text: `Content below moved by ${pixels} px when the offers were rendered. Reserve ${height} px before the script: min-block-size: ${height}px.`,
      };
}

/** Checks the page on which the offers are shown. */
export async function checkPage(input: CheckInput): Promise<Check[]> {
  const hosts = [...input.mount.hosts].filter((host) => host.isConnected);
  return [
    await relayCheck(input),
    await imageCheck(input),
    ...hiddenChecks(hosts),
    shiftCheck(input, hosts),
    ...hosts.flatMap(measureContrast).map(contrastCheck),
    scriptCheck(),
    modalCheck(),
    environmentCheck(),
  ];
}

function contrastCheck(contrast: TextContrast): Check {
  const { name, ratio, required } = contrast;
  const title = `Contrast: ${name}`;
  const text = `${ratio.toFixed(1)} : 1; at least ${required} : 1 is required.`;
  return isReadable(contrast)
    ? { state: 'good', title, text }
    : { state: 'bad', title, text: `${text} ${CONTRAST_ADVICE}` };
}
