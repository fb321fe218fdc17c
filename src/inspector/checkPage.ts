import type { InspectedMount } from './openMounts.ts';
import type { PageObserver } from './observePage.ts';
import { dom } from '../dom/dom.ts';
import { CONTRAST_ADVICE, type TextContrast, isReadable, measureContrast } from '../dom/contrast.ts';

/** One finding about the page: whether it is fine, and what to do when it is not. */
export interface PageCheck {
  readonly state: 'good' | 'bad' | 'note';
  readonly title: string;
  readonly text: string;
}

/** What the checks look at. */
interface CheckInput extends Pick<PageObserver, 'refused' | 'shifts'> {
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

/** What one check found. */
type Finding = readonly [state: PageCheck['state'], text: string];

/** Checks that the relay responds. */
async function relayCheck({ mount, fetch, refused }: CheckInput): Promise<Finding> {
  const url = `${mount.relay}/health`;
  if (!mount.relay)
    return ['bad', 'The page does not name a relay. Use relay: "/offers", the path at which it is mounted.'];
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout?.(RELAY_MS) ?? null, cache: 'no-store' });
    if (response.ok) return ['good', `${url} returns ${response.status}.`];
    const advice = response.status === 404 ? 'Mount the relay there, or correct the path on the page.' : 'See its log.';
    return ['bad', `${url} returns ${response.status}. ${advice}`];
  } catch (error) {
    const isBlocked = refused.some(({ directive }) => directive === 'connect-src');
    const advice = isBlocked
      ? `The page's Content-Security-Policy blocks it: add ${new URL(url).origin} to connect-src.`
      : 'Either it is down, or it does not allow this origin, or an ad blocker blocks it. Open the URL in its own tab. Turn off blockers for this page. A path without "ad" or "offer" in it may help.';
    return ['bad', `${url} does not respond (${String(error)}). ${advice}`];
  }
}

/** Checks that the images of the offers load. */
async function imageCheck({ mount, refused }: CheckInput): Promise<Finding> {
  const urls = imagesIn(mount.json);
  if (urls.length === 0) return ['note', 'The response has no images.'];
  const failed = (await Promise.all(urls.map(async (url) => ((await canLoad(url)) ? [] : [url])))).flat();
  if (failed.length === 0) return ['good', `All ${urls.length} images of the response load.`];
  const origins = [...new Set(failed.map((url) => new URL(url).origin))];
  const isBlocked = refused.some(({ directive }) => directive === 'img-src');
  const advice = isBlocked
    ? `The page's Content-Security-Policy blocks them: add ${origins.join(' ')} to img-src.`
    : `Either an ad blocker blocks them, or ${origins.join(', ')} does not serve them.`;
  return ['bad', `${failed.length} of ${urls.length} images do not load; logos are replaced by letters. ${advice}`];
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
function scriptCheck(): Finding {
  const { length } = [...dom.querySelectorAll<HTMLScriptElement>('script[src]')].filter(({ src }) =>
    /\/offerlet(\.min)?\.js(\?|$)/.test(src),
  );
  if (length > 1)
    return [
      'bad',
      `offerlet.js is on this page ${length} times. The first one works, the others do nothing: remove them.`,
    ];
  return ['good', length === 1 ? 'One script tag.' : "No script tag: the offers come from the page's own bundle."];
}

/** Reports what limits the widget in this window. */
function environmentCheck(): Finding {
  const notes = [
    window === window.top ? '' : 'The page is in a frame: browsers measure visibility only within it.',
    isSecureContext ? '' : 'The page is not on https: browsers hash no email there, and tabs do not share one sender.',
    dom.visibilityState === 'visible' ? '' : 'The tab is hidden: nothing counts as seen.',
  ].filter(Boolean);
  return notes.length > 0 ? ['note', notes.join(' ')] : ['good', 'A secure, visible page that is not in a frame.'];
}

/** Reports an element whose offers the page or an ad blocker hides. */
function hiddenCheck(host: Element): Finding | undefined {
  const { width, height } = host.getBoundingClientRect();
  if (host.localName === 'offer-let-layer' || (width > 0 && height > 0)) return undefined;
  const id = host.parentElement?.getAttribute('id');
  const size = `${Math.round(width)} × ${Math.round(height)}`;
  const name = id ? `#${id}` : host.localName;
  return ['bad', `The offers have a box of ${size} pixels: the page or an ad blocker hides ${name}.`];
}

/** Milliseconds around the rendering of the offers in which a layout shift is attributed to them. */
const ATTRIBUTED_MS = 500;

/** Checks that the page did not move when the offers were rendered. */
function shiftCheck({ mount, shifts }: CheckInput, hosts: readonly Element[]): Finding {
  if (mount.mode !== 'INLINE') return ['good', `${mount.mode} offers are above the page and move nothing.`];
  if (!PerformanceObserver.supportedEntryTypes.includes('layout-shift'))
    return ['note', 'This browser does not measure layout shifts. Use Chromium.'];
  const renderedAt = mount.renderedAt ?? Infinity;
  const attributed = shifts.filter(
    ({ from, to }) => from <= renderedAt + ATTRIBUTED_MS && to >= renderedAt - ATTRIBUTED_MS,
  );
  const height = Math.round(hosts[0]?.getBoundingClientRect().height ?? 0);
  const pixels = Math.round(Math.max(0, ...attributed.map((shift) => shift.pixels)));
  return pixels < 1
    ? ['good', `Nothing moved when the offers were rendered. They are ${height} px high.`]
    : [
        'bad',
        `Content below moved by ${pixels} px when the offers were rendered. Reserve ${height} px before the script: min-block-size: ${height}px.`,
      ];
}

function contrastCheck(contrast: TextContrast): Finding {
  const text = `${contrast.ratio.toFixed(1)} : 1; at least ${contrast.required} : 1 is required.`;
  return isReadable(contrast) ? ['good', text] : ['bad', `${text} ${CONTRAST_ADVICE}`];
}

/** Checks the page on which the offers are shown. */
export async function checkPage(input: CheckInput): Promise<PageCheck[]> {
  const hosts = [...input.mount.hosts].filter((host) => host.isConnected);
  const findings: readonly (readonly [title: string, finding: Finding | undefined])[] = [
    ['Relay', await relayCheck(input)],
    ['Images', await imageCheck(input)],
    ...hosts.map((host) => ['Place', hiddenCheck(host)] as const),
    ['Layout shift', shiftCheck(input, hosts)],
    ...hosts.flatMap(measureContrast).map((one) => [`Contrast: ${one.name}`, contrastCheck(one)] as const),
    ['Script', scriptCheck()],
    ['Environment', environmentCheck()],
  ];
  return findings.flatMap(([title, finding]) => (finding ? [{ title, state: finding[0], text: finding[1] }] : []));
}
