import { dom, unclobbered } from '../dom/dom.ts';
import type { Prefetched } from '../session/findOffers.ts';
import { parseJson } from '../wire/json.ts';
import { RESPONSE_MAX_BYTES } from '../wire/limits.ts';
import { CARD_ATTRIBUTE, PLACE_NAME, PREFETCHED_ATTRIBUTE } from '../wire/offers/prefetched.ts';
import type { ShowOptions } from './showOptions.ts';

/** Returns a function that returns what the server has prefetched for a mount: once, for a session is used once. */
export function prefetchedOnce(): (options: ShowOptions) => Prefetched {
  let isUsed = false;
  return (options) => {
    const mayUse = !isUsed;
    isUsed = true;
    const hasOption = 'prefetched' in options;
    return {
      find: () => (!mayUse ? [] : !hasOption ? blocks() : options.prefetched ? [options.prefetched] : []),
      isComing: () => mayUse && !hasOption && dom.readyState === 'loading',
    };
  };
}

/** The blocks in the page, for this mount or for another one. */
function blocks(): unknown[] {
  return [...dom.querySelectorAll(`script[${PREFETCHED_ATTRIBUTE}]`)].map(({ textContent }) => {
    const text = textContent ?? '';
    return (text.length < RESPONSE_MAX_BYTES && parseJson(text)) || text.slice(0, 9);
  });
}

/**
 * Removes what the server has rendered into the place, and copies of it elsewhere, but for the card of a session: that is
 * returned. A card that did not become a shadow root, as when a script has inserted it, is not one.
 */
export function takeCard(target: Element, session_id?: string): HTMLElement | undefined {
  let card: HTMLElement | undefined;
  // A card that is still to come must find no place: offers are here, or none are wanted. To older browsers this is a comment.
  for (const node of unclobbered(target).childNodes)
    if (node.nodeType > 6 && node.nodeValue?.includes(PLACE_NAME)) node.remove();
  for (const element of dom.querySelectorAll<HTMLElement>(`[${CARD_ATTRIBUTE}]`)) {
    const found = unclobbered(element);
    const isHere = unclobbered(target).contains(element);
    const session = found.getAttribute(CARD_ATTRIBUTE);
    const isSame = session === session_id;
    // One with other attributes, such as a style that hides it, is not ours.
    if (isHere && isSame && found.shadowRoot && found.attributes.length < 2 && !card) card = element;
    // Offers that the widget has put there have no session, and their copies no shadow root: Turbo copies what it leaves.
    else if ((isHere || isSame) && (session || !found.shadowRoot)) found.remove();
  }
  return card;
}

/** Removes the card that the server has rendered into a place. The page may still be on its way, with a card that comes too late. */
export function removeCard(find: () => Element | undefined): void {
  const target = find();
  if (target) takeCard(target);
  if (dom.readyState === 'loading') dom.addEventListener('DOMContentLoaded', () => removeCard(find), { once: true });
}
