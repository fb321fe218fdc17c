import type { JSX } from 'preact';
import type { PlacedOffer } from '../../wire/offers/response.ts';
import type { WidgetView } from '../widgetView.ts';

/** Props of the text of an offer. */
export interface WordsProps {
  view: WidgetView;
  offer: PlacedOffer;
  /** Whether its heading names the dialog. */
  isTitle: boolean;
  level: 'h2' | 'h3';
}

/** Heading and subheading. Long ones are clamped by the stylesheet; a button shows the rest. */
export function Words({ view, offer: { offer }, isTitle, level: Heading }: WordsProps): JSX.Element {
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
