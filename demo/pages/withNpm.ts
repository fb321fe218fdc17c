// Uses the npm import on a page, as a merchant's bundle does.
import { showOffers, type Mount } from 'offerlet';
import { listen, shopOptions } from '../browser/shopOptions.ts';

const { via: _via, isApp: _isApp, asks, ...options } = shopOptions();
// QA: the inspector comes with its own import.
if (location.search.includes('offerlet=inspect')) await import('offerlet/inspector');

let decision: boolean | undefined;
let offers: Mount | undefined;

function enter(): void {
  // Until the shopper has decided, consent is a promise.
  const consent = asks ? { consent: decision ?? new Promise<boolean>(() => undefined) } : {};
  offers = showOffers({ ...options, ...consent });
}

listen('shop:consent', (isGiven) => {
  decision = isGiven;
  offers?.consent(isGiven);
});
listen('shop:leave', () => offers?.destroy());
listen('shop:enter', enter);
if (document.querySelector('.route.overview')) enter();
