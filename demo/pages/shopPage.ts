// The shop's own page script: its cookie banner, and its routes where it is a single-page app.
import type { Offers } from 'offerlet';
import { hear, shopOptions, tell } from '../browser/shopOptions.ts';

interface PageApi {
  show(options: object): Offers;
  consent(isGiven: boolean): void;
  destroy(): void;
}
type OfferLet = HTMLElement & { readonly offers?: Offers };

const { via, isApp, asks, ...options } = shopOptions();
type Call = (api: PageApi) => void;
const page = window as unknown as { offerlet?: { push(call: Call): unknown } };
const banner = document.querySelector<HTMLElement>('.cookies');
let word: boolean | undefined;

if (asks) openBanner();
if (isApp) openRoutes();
if (via === 'script') followScript();
if (via === 'element') followElement();

function openBanner(): void {
  for (const button of banner?.querySelectorAll<HTMLElement>('[data-consent]') ?? [])
    button.addEventListener('click', () => {
      word = button.dataset.consent === 'yes';
      if (banner) banner.hidden = true;
      tell('shop:consent', word);
    });
  document.querySelector('[data-cookies]')?.addEventListener('click', () => {
    if (banner) banner.hidden = false;
    banner?.querySelector('button')?.focus();
  });
}

/** The script tag: calls pushed before it has loaded wait for it. */
function followScript(): void {
  const push = (call: Call): void => {
    page.offerlet ??= [] as Call[];
    page.offerlet.push(call);
  };
  hear('shop:consent', (isGiven) => push((o) => o.consent(isGiven)));
  if (!isApp) return;
  const enter = (): void => push((o) => o.show(asks ? { ...options, consent: new Promise(() => undefined) } : options));
  hear('shop:enter', enter);
  hear('shop:leave', () => push((o) => o.destroy()));
  if (document.querySelector('.route.overview')) enter();
}

/** The element shows its offers whenever it is on the page; only the banner's answer has to be told to it. */
function followElement(): void {
  const agree = (): void => {
    if (word !== undefined) document.querySelector<OfferLet>('offer-let')?.offers?.consent(word);
  };
  hear('shop:consent', agree);
  hear('shop:enter', agree);
  void customElements.whenDefined('offer-let').then(agree);
}

/** Order and receipt take each other's place, and the address with them; the nodes themselves come back. */
function openRoutes(): void {
  const main = document.querySelector('main');
  const other = document.querySelector<HTMLTemplateElement>('#other-route')?.content.firstElementChild;
  const here = main?.querySelector('.route');
  if (!main || !other || !here) return;
  const routes = [here, document.importNode(other, true)];
  const find = (kind: string): Element | undefined => routes.find((route) => route.classList.contains(kind));
  const go = (kind: string): void => {
    const next = find(kind);
    if (!next || next.isConnected) return;
    if (kind === 'receipt') tell('shop:leave', undefined);
    main.replaceChildren(next);
    if (kind !== 'receipt') tell('shop:enter', undefined);
    next.querySelector('h1')?.focus();
    scrollTo(0, 0);
  };
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[data-route]') : null;
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    history.pushState(null, '', link.pathname + location.search);
    go(link.dataset.route === 'receipt' ? 'receipt' : 'overview');
  });
  addEventListener('popstate', () => go(location.pathname.endsWith('/receipt') ? 'receipt' : 'overview'));
}
