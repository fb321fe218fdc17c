// The shop's own page script: the cookie banner, and the routes of the single-page app.
import type { Mount } from 'offerlet';
import { emit, listen, shopOptions } from '../browser/shopOptions.ts';

interface PageApi {
  show(options: object): Mount;
  consent(isGiven: boolean): void;
  destroy(): void;
}
type OfferLet = HTMLElement & { readonly mount?: Mount };

const { via, isApp, asks, ...options } = shopOptions();
type Call = (api: PageApi) => void;
const page = window as unknown as { offerlet?: { push(call: Call): unknown } };
const banner = document.querySelector<HTMLElement>('.cookies');
let decision: boolean | undefined;

if (asks) openBanner();
if (isApp) openRoutes();
if (via === 'script') followScript();
if (via === 'element') followElement();

function openBanner(): void {
  if (banner) banner.hidden = false;
  for (const button of banner?.querySelectorAll<HTMLElement>('[data-consent]') ?? [])
    button.addEventListener('click', () => {
      decision = button.dataset.consent === 'yes';
      if (banner) banner.hidden = true;
      emit('shop:consent', decision);
    });
  document.querySelector('[data-cookies]')?.addEventListener('click', () => {
    if (banner) banner.hidden = false;
    banner?.querySelector('button')?.focus();
  });
}

/** Connects the script tag. Calls that are pushed before it has loaded wait for it. */
function followScript(): void {
  const push = (call: Call): void => {
    page.offerlet ??= [] as Call[];
    page.offerlet.push(call);
  };
  listen('shop:consent', (isGiven) => push((o) => o.consent(isGiven)));
  if (!isApp) return;
  const enter = (): void => push((o) => o.show(asks ? { ...options, consent: new Promise(() => undefined) } : options));
  listen('shop:enter', enter);
  listen('shop:leave', () => push((o) => o.destroy()));
  if (document.querySelector('.route.overview')) enter();
}

/** Connects the element. It shows offers whenever it is on the page, and needs only the shopper's consent. */
function followElement(): void {
  const agree = (): void => {
    if (decision !== undefined) document.querySelector<OfferLet>('offer-let')?.mount?.consent(decision);
  };
  listen('shop:consent', agree);
  listen('shop:enter', agree);
  void customElements.whenDefined('offer-let').then(agree);
}

/** Lets order and receipt replace each other, with the URL. The same nodes are used again. */
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
    if (kind === 'receipt') emit('shop:leave', undefined);
    main.replaceChildren(next);
    if (kind !== 'receipt') emit('shop:enter', undefined);
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
