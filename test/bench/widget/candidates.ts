import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openPeers } from '../peers/openPeers.ts';

/** A script that requests and shows offers; `window.shown` is called in the task or the frame that shows them. */
export interface Candidate {
  name: string;
  script: string;
  /** Offers in the response. */
  offers: number;
}

/** The baseline of the ratios. */
export const BARE = 'preact, bare card';

const BARE_CARD = JSON.stringify(fileURLToPath(new URL('../peers/preactCard.ts', import.meta.url)));

/** The file that merchants serve, as `npm run build` made it, and a call that says what to show. */
const offerlet = (
  mode: string,
): string => `${readFileSync(new URL('../../../dist/offerlet.js', import.meta.url), 'utf8')}
offerlet.push((page) => {
  const request = { user_details: { external_guid: 'me' }, placement_details: { view: 'THANK_YOU', display_mode: '${mode}' } };
  page.show({ relay: '/offers', request, target: '#offers' });
  // Its outcome comes after the paint.
  const observer = new MutationObserver(() => requestAnimationFrame(look));
  observer.observe(document, { childList: true, subtree: true });
  function look() {
    observer.disconnect();
    const hosts = document.querySelectorAll('offer-let-layer, #offers > div');
    const button = [...hosts].map(({ shadowRoot }) => shadowRoot?.querySelector('[part=accept]')).find(Boolean);
    if (button?.checkVisibility({ visibilityProperty: true }) && !button.closest('dialog:not([open])')) window.painted();
    else requestAnimationFrame(look);
  }
});`;

/** Starts like the widget does, when the page has loaded and is idle, and shows the same words. */
const BARE_SOURCE = `
  import { showCard } from ${BARE_CARD};
  async function start() {
    await new Promise((resolve) => requestIdleCallback(resolve, { timeout: 1_000 }));
    const response = await fetch('/offers/recommendations', { method: 'POST', body: '{}' });
    const { recommendations } = await response.json();
    const { advertiser, offer } = Object.values(recommendations)[0];
    showCard(document.querySelector('#offers'), { advertiser, offer });
    window.shown();
  }
  if (document.readyState === 'complete') void start(); else addEventListener('load', start);`;

/** Everybody, bundled alike. */
export async function bundleCandidates(): Promise<Candidate[]> {
  const peers = openPeers({});
  const bare = await peers.bundle(BARE, BARE_SOURCE);
  peers.close();
  return [
    { name: 'offerlet, OVERLAY', offers: 1, script: offerlet('OVERLAY') },
    { name: 'offerlet, INLINE, 3', offers: 3, script: offerlet('INLINE') },
    { name: BARE, offers: 1, script: bare },
  ];
}
