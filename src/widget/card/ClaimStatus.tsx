import type { JSX } from 'preact';
import type { PlacedOffer } from '../../wire/offers/response.ts';
import type { WidgetView } from '../widgetView.ts';

/** Props of the claimed state. */
export interface ClaimStatusProps {
  view: WidgetView;
  offer: PlacedOffer;
  isClaimed: boolean;
}

/** The message and promo code of an accepted offer. The live region is always present so that screen readers announce the change. */
export function ClaimStatus({ view, offer, isClaimed }: ClaimStatusProps): JSX.Element {
  const { messages } = view.props;
  const { cta_details, metadata } = offer.offer;
  const code = metadata?.type === 'PROMO_CODE' ? metadata.code : undefined;
  const opened = `✓ ${messages.claimed}`;
  const texts = [cta_details.transition_copy || opened, opened];
  const index = Number(view.state.opened.includes(offer));
  return (
    <div class="claim" role="status">
      {isClaimed && [
        // The one reserves the room of the other: when they change, nothing moves under the pointer.
        <p dir="auto" data-other={texts[1 - index]}>
          <span>{texts[index]}</span>
        </p>,
        code && (
          <div class="code">
            <span class="small">{messages.code}</span>
            <code dir="ltr">{code}</code>
            <button type="button" onClick={(event) => view.copy(event, offer)}>
              {view.state.copied === offer ? messages.copied : messages.copy}
            </button>
          </div>
        ),
      ]}
    </div>
  );
}

/** Copies the offer's promo code. If the browser refuses, selects the code so that one key press copies it. Resolves to whether it was copied. */
export async function copyCode(button: Element, { offer }: PlacedOffer): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(offer.metadata?.code ?? '');
    return true;
  } catch {
    const code = button.parentElement?.querySelector('code');
    if (code) getSelection()?.selectAllChildren(code);
    return false;
  }
}
