import { createElement, render } from 'preact';
import type { PlacedOffer } from '../../../src/wire/offers/response.ts';

/** The same words as our card, without styles, shadow root, dialog or focus: a floor. */
export function showCard(element: Element, { advertiser, offer }: PlacedOffer): void {
  const card = createElement(
    'section',
    null,
    createElement('p', null, 'Sponsored'),
    createElement('p', null, advertiser.name),
    createElement('h2', null, offer.heading),
    createElement('p', null, offer.subheading),
    createElement('a', { href: offer.target_url, onClick() {} }, offer.cta_details.accept_copy),
    createElement('button', { onClick() {} }, offer.cta_details.decline_copy),
    createElement(
      'details',
      null,
      createElement('summary', null, offer.disclosure_details?.copy),
      offer.disclosure_details?.content,
    ),
    createElement(
      'footer',
      null,
      createElement('a', { href: 'https://network.test/privacy', onClick() {} }, 'Privacy'),
    ),
  );
  render(card, element);
}
