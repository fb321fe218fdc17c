import type { JSX } from 'preact';
import type { PlacedOffer } from '../../wire/offers/response.ts';
import type { View } from '../widgetView.ts';

/** What an accepted offer shows: the network's word on it and the promo code. It is announced, so its place is always there. */
export function Claim({ view, offer, isClaimed }: { view: View; offer: PlacedOffer; isClaimed: boolean }): JSX.Element {
  const { messages } = view.props;
  const { cta_details, metadata } = offer.offer;
  const code = metadata?.type === 'PROMO_CODE' ? metadata.code : undefined;
  const isShown = isClaimed && (code ?? cta_details.transition_copy);
  return (
    <div class="claim" role="status">
      {isShown && (
        <>
          {cta_details.transition_copy && <p dir="auto">{cta_details.transition_copy}</p>}
          {code && (
            <div class="code">
              <span class="small">{messages.code}</span>
              <code dir="ltr">{code}</code>
              <button type="button" onClick={(event) => view.copy(event, offer)}>
                {view.state.copied === offer ? messages.copied : messages.copy}
              </button>
            </div>
          )}
        </>
      )}
    </div>
  );
}
