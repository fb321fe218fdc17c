import { dom } from '../dom/dom.ts';
import { contrastChecks } from './contrast.ts';
import type { Subject } from './subject.ts';

/** One thing about the page: whether it is well, and what to do when it is not. */
export interface Check {
  readonly state: 'good' | 'bad' | 'note';
  readonly title: string;
  readonly text: string;
}

/** What the checks look at. */
export interface Checked {
  readonly subject: Subject;
  /** The page's own `fetch`. */
  readonly fetch: typeof globalThis.fetch;
  /** Directives and addresses that the page's policy has refused since the inspector is here. */
  readonly refused: readonly { readonly directive: string; readonly address: string }[];
  readonly shifts: readonly Shift[];
}

/** Something of the page that has moved. */
export interface Shift {
  readonly at: number;
  readonly pixels: number;
}

/** Milliseconds a picture may take. */
const PICTURE_MS = 8_000;
/** Milliseconds around the moment the offers appeared in which a shift is theirs. */
const OURS_MS = 500;
/** Looks at the page that the offers stand on. */
export async function checkPage(checked: Checked): Promise<Check[]> {
  const { subject } = checked;
  const hosts = [...subject.hosts].filter((host) => host.isConnected);
  return [
    await relayCheck(checked),
    await pictureCheck(checked),
    ...hosts.map(hiddenCheck).filter((check) => check !== undefined),
    spaceCheck(checked, hosts),
    ...hosts.flatMap(contrastChecks),
    scriptCheck(),
    modalCheck(),
    frameCheck(),
  ];
}

async function relayCheck({ subject, fetch, refused }: Checked): Promise<Check> {
  const title = 'Relay';
  const url = `${subject.relay}/health`;
  if (!subject.relay)
    return { state: 'bad', title, text: 'The page names no relay: write relay: "/offers", where it is mounted.' };
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout?.(4_000) ?? null, cache: 'no-store' });
    if (response.ok) return { state: 'good', title, text: `${url} answers ${response.status}.` };
    const what =
      response.status === 404 ? 'Mount the relay there, or correct the address on the page.' : 'See its log.';
    return { state: 'bad', title, text: `${url} answers ${response.status}. ${what}` };
  } catch (error) {
    const byPolicy = refused.some(({ directive }) => directive === 'connect-src');
    const what = byPolicy
      ? `The page's Content-Security-Policy refuses it: add ${new URL(url).origin} to connect-src.`
      : 'It is down, does not allow this origin, or an ad blocker stands before it: open the address in a tab of its own, switch blockers off for this page, and use a path without "ad" or "offer" in it if that helps.';
    return { state: 'bad', title, text: `${url} does not answer (${String(error)}). ${what}` };
  }
}

async function pictureCheck({ subject, refused }: Checked): Promise<Check> {
  const title = 'Pictures';
  const urls = picturesIn(subject.json);
  if (urls.length === 0) return { state: 'note', title, text: 'The answer brings no pictures.' };
  const failed = (await Promise.all(urls.map(async (url) => ((await loads(url)) ? [] : [url])))).flat();
  if (failed.length === 0)
    return { state: 'good', title, text: `All ${urls.length} pictures of the answer can be loaded here.` };
  const hosts = [...new Set(failed.map((url) => new URL(url).origin))];
  const byPolicy = refused.some(({ directive }) => directive === 'img-src');
  const what = byPolicy
    ? `The page's Content-Security-Policy blocks them: add ${hosts.join(' ')} to img-src.`
    : `An ad blocker or ${hosts.join(', ')} itself is in the way.`;
  return {
    state: 'bad',
    title,
    text: `${failed.length} of ${urls.length} pictures do not load, letters stand in for logos. ${what}`,
  };
}

function picturesIn(json: unknown): string[] {
  const found = JSON.stringify(json ?? null).matchAll(/"(?:logo_url|image_url)":"([^"]+)"/g);
  return [...new Set([...found].map(([, url]) => url ?? ''))].filter((url) => URL.canParse(url)).slice(0, 20);
}

function loads(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const image = new Image();
    image.referrerPolicy = 'no-referrer';
    image.addEventListener('load', () => resolve(true));
    image.addEventListener('error', () => resolve(false));
    setTimeout(() => resolve(false), PICTURE_MS);
    image.src = url;
  });
}

function hiddenCheck(host: Element): Check | undefined {
  const { width, height } = host.getBoundingClientRect();
  const isLayer = host.localName === 'offer-let-layer';
  if (isLayer || (width > 0 && height > 0)) return undefined;
  return {
    state: 'bad',
    title: 'Place',
    text: `The offers stand in a box of ${Math.round(width)} × ${Math.round(height)}: the page or an ad blocker hides ${host.parentElement?.id ? `#${host.parentElement.id}` : host.localName}.`,
  };
}

function spaceCheck({ subject, shifts }: Checked, hosts: readonly Element[]): Check {
  const title = 'Layout shift';
  if (subject.mode !== 'INLINE')
    return { state: 'good', title, text: `${subject.mode} stands above the page and moves nothing.` };
  if (!PerformanceObserver.supportedEntryTypes.includes('layout-shift'))
    return { state: 'note', title, text: 'This browser does not measure layout shifts: look with Chromium.' };
  const from = subject.renderedAt ?? Infinity;
  const ours = shifts.filter(({ at }) => at >= from - OURS_MS && at <= from + OURS_MS);
  const height = Math.round(hosts[0]?.getBoundingClientRect().height ?? 0);
  const pixels = Math.round(Math.max(0, ...ours.map((shift) => shift.pixels)));
  return pixels < 1
    ? { state: 'good', title, text: `Nothing moved when the offers came; they are ${height} px high.` }
    : {
        state: 'bad',
        title,
        text: `What stands below moved by ${pixels} px when the offers came. Reserve ${height} px before the script: min-block-size: ${height}px.`,
      };
}

function scriptCheck(): Check {
  const scripts = [...dom.querySelectorAll<HTMLScriptElement>('script[src]')].filter(({ src }) =>
    /\/offerlet(\.min)?\.js(\?|$)/.test(src),
  );
  const title = 'Scripts of ours';
  return scripts.length > 1
    ? {
        state: 'bad',
        title,
        text: `offerlet.js stands ${scripts.length} times on this page; the first one works, the others do nothing: remove them.`,
      }
    : {
        state: 'good',
        title,
        text: scripts[0] ? 'One script tag.' : 'No script tag: the offers come from a bundle of the page.',
      };
}

function modalCheck(): Check {
  const open = [...dom.querySelectorAll('dialog:modal, [aria-modal=true]')].filter(
    (dialog) => dialog.getClientRects().length > 0,
  );
  const title = 'Dialogs of the page';
  return open.length > 0
    ? { state: 'note', title, text: `${open.length} open: OVERLAY, FULLSCREEN and PULLUP wait until it is closed.` }
    : { state: 'good', title, text: 'None is open.' };
}

function frameCheck(): Check {
  const title = 'Surroundings';
  const notes = [
    window === window.top
      ? ''
      : 'The page is in a frame: how much of it can be seen is known to browsers only as far as the frame.',
    isSecureContext ? '' : 'The page is not on https: answers are not remembered, and tabs do not wait for each other.',
    dom.visibilityState === 'visible' ? '' : 'The tab is hidden: nothing counts as seen.',
  ].filter(Boolean);
  return notes.length > 0
    ? { state: 'note', title, text: notes.join(' ') }
    : { state: 'good', title, text: 'A page of its own, secure and visible.' };
}
