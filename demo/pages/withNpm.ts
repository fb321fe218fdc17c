// The npm import on a page: what a merchant's own bundle does.
import { showOffers, type Offers } from 'offerlet';
import { hear, shopOptions } from '../browser/shopOptions.ts';

const { via: _via, isApp: _isApp, asks, ...options } = shopOptions();
let word: boolean | undefined;
let offers: Offers | undefined;

function enter(): void {
  // The banner's answer: not yet given is a promise that waits.
  const consent = asks ? { consent: word ?? new Promise<boolean>(() => undefined) } : {};
  offers = showOffers({ ...options, ...consent });
}

hear('shop:consent', (isGiven) => {
  word = isGiven;
  offers?.consent(isGiven);
});
hear('shop:leave', () => offers?.destroy());
hear('shop:enter', enter);
if (document.querySelector('.route.overview')) enter();
