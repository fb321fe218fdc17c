import type { JSX } from 'preact';
import type { PlacedOffer } from '../../wire/offers/response.ts';
import type { WidgetView } from '../widgetView.ts';

/** Pixels by which text may overflow its box without a line being hidden. */
const TOLERANCE_PX = 8;

/** Props of the text of an offer. */
export interface OfferTextProps {
  view: WidgetView;
  offer: PlacedOffer;
  /** Whether its heading names the dialog. */
  isTitle: boolean;
  level: 'h2' | 'h3';
}

/** Heading and subheading. Long ones are clamped by the stylesheet; a button shows the rest. */
export function OfferText({ view, offer: { offer }, isTitle, level: Heading }: OfferTextProps): JSX.Element {
  return (
    <div class="words" ref={view.clamp}>
      <Heading part="heading" id={isTitle ? 'title' : undefined} tabIndex={-1} dir="auto">
        {offer.heading}
      </Heading>
      {offer.subheading && (
        <p part="subheading" dir="auto">
          {offer.subheading}
        </p>
      )}
      <button type="button" class="more" aria-expanded="false" hidden onClick={view.more}>
        {view.props.messages.more}
      </button>
    </div>
  );
}

/** Creates an observer that shows the button of an observed element while one of its texts is clamped. */
export function watchClamped(): ResizeObserver {
  const observer = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      if (!offerRest(target)) continue;
      // The button changes the observed size: in this frame that would be reported to the page as an error.
      observer.unobserve(target);
      requestAnimationFrame(() => observer.observe(target));
    }
  });
  return observer;
}

/** Shows the button of an element while one of its texts is clamped. Returns whether the button appeared or disappeared. */
export function offerRest(words: Element): boolean {
  const button = words.lastElementChild as HTMLButtonElement;
  const isClamped = [...words.children].some((text) => text.scrollHeight > text.clientHeight + TOLERANCE_PX);
  if (button.hidden !== isClamped || button.getAttribute('aria-expanded') === 'true') return false;
  button.hidden = !isClamped;
  return true;
}
