import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openPeers } from '../peers/openPeers.ts';

/** A script that requests and shows offers; `window.shown` is called in the task or the frame that shows them. */
export interface Candidate {
  name: string;
  script: string;
  /** Offers in the response, and how they are grouped. */
  offers: number;
  slot: 'HERO' | 'SCROLLABLE';
}

/** The baseline of the ratios. */
export const BARE = 'preact, bare card';

const PEERS = { sweetalert2: '11.26.25', 'vanilla-cookieconsent': '3.1.0' };

const BARE_CARD = JSON.stringify(fileURLToPath(new URL('../peers/preactCard.ts', import.meta.url)));

/** The file that merchants serve, as `npm run build` made it, and a call that says what to show. */
const offerlet = (
  mode: string,
): string => `${readFileSync(new URL('../../../dist/offerlet.js', import.meta.url), 'utf8')}
offerlet.push((page) => {
  const request = { user_details: { external_guid: 'me' }, placement_details: { view: 'THANK_YOU', display_mode: '${mode}' } };
  window.showAgain = () => (window.mounted = page.show({ relay: '/offers', request, target: '#offers' })).outcome;
  void window.showAgain();
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

/** The peers start like the widget does, when the page has loaded and is idle, and show the same words. */
const peer = (imports: string, show: string): string => `
  ${imports}
  async function start() {
    await new Promise((resolve) => requestIdleCallback(resolve, { timeout: 1_000 }));
    const response = await fetch('/offers/recommendations', { method: 'POST', body: '{}' });
    const { recommendations } = await response.json();
    const { advertiser, offer } = Object.values(recommendations)[0];
    ${show}
  }
  if (document.readyState === 'complete') void start(); else addEventListener('load', start);`;

const CANDIDATES: readonly (Omit<Candidate, 'script'> & { source?: string; mode?: string; isPeer?: true })[] = [
  { name: 'offerlet, OVERLAY', offers: 1, slot: 'HERO', mode: 'OVERLAY' },
  { name: 'offerlet, INLINE, 3', offers: 3, slot: 'HERO', mode: 'INLINE' },
  { name: 'offerlet, list of 20', offers: 20, slot: 'SCROLLABLE', mode: 'INLINE' },
  {
    name: 'sweetalert2',
    offers: 1,
    slot: 'HERO',
    isPeer: true,
    source: peer(
      "import Swal from 'sweetalert2';",
      `void Swal.fire({ title: offer.heading, html: offer.subheading, imageUrl: advertiser.logo_url, imageWidth: 48, imageHeight: 48,
        confirmButtonText: offer.cta_details.accept_copy, showCancelButton: true, cancelButtonText: offer.cta_details.decline_copy, showCloseButton: true,
        footer: '<a href="https://network.test/privacy">Privacy</a>', didOpen: () => window.shown() });`,
    ),
  },
  {
    name: 'vanilla-cookieconsent',
    offers: 1,
    slot: 'HERO',
    isPeer: true,
    source: peer(
      "import css from 'vanilla-cookieconsent/dist/cookieconsent.css?inline'; import * as CookieConsent from 'vanilla-cookieconsent';",
      `document.head.append(Object.assign(document.createElement('style'), { textContent: css }));
      await CookieConsent.run({ hideFromBots: false, disablePageInteraction: true, categories: { necessary: { readOnly: true } },
        guiOptions: { consentModal: { layout: 'box', position: 'middle center' } }, onModalReady: () => window.shown(),
        language: { default: 'en', translations: { en: { consentModal: { label: advertiser.name, title: offer.heading, description: offer.subheading,
          acceptAllBtn: offer.cta_details.accept_copy, acceptNecessaryBtn: offer.cta_details.decline_copy, footer: '<a href="https://network.test/privacy">Privacy</a>' },
          preferencesModal: { sections: [] } } } } });`,
    ),
  },
  {
    name: BARE,
    offers: 1,
    slot: 'HERO',
    source: peer(
      `import { showCard } from ${BARE_CARD};`,
      "showCard(document.querySelector('#offers'), { advertiser, offer }); window.shown();",
    ),
  },
];

/** Everybody whom this machine can bring, bundled alike. */
export async function bundleCandidates(): Promise<Candidate[]> {
  const peers = openPeers(PEERS);
  const candidates: Candidate[] = [];
  for (const { source, mode, isPeer, ...candidate } of CANDIDATES) {
    if (isPeer && !peers.areThere) {
      console.log(`${candidate.name}: left out, the registry is out of reach`);
      continue;
    }
    candidates.push({ ...candidate, script: mode ? offerlet(mode) : await peers.bundle(candidate.name, source ?? '') });
  }
  peers.close();
  return candidates;
}
