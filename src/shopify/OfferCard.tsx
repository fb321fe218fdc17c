import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { DisclosureDetails, PlacedOffer } from '../wire/offers/response.ts';
import type { Messages } from '../widget/messages/messages.ts';
import type { ShopifySession } from './openShopifySession.ts';

/** Properties of one offer. */
export interface OfferCardProps {
  readonly session: ShopifySession;
  readonly offer: PlacedOffer;
  readonly messages: Messages;
  readonly isSandbox: boolean;
  /** Which offer of how many it is, when they are shown one at a time. */
  readonly position: { readonly at: number; readonly of: number } | undefined;
  /** The shopper declined it, or went on after accepting it. */
  onGone(): void;
  onBack(): void;
}

/** Milliseconds for which an offer that has just appeared ignores "No thanks". */
const IGNORED_MS = 400;

/** One offer: "Sponsored", advertiser, heading, copy, image, accept, decline, legal text, in that order. */
export function OfferCard(props: OfferCardProps): JSX.Element {
  const { session, offer: placed, messages, isSandbox, position, onGone, onBack } = props;
  const { advertiser, offer } = placed;
  const { cta_details: cta, metadata, disclosure_details: legal } = offer;
  const [isClaimed, setClaimed] = useState(false);
  const [shownAt] = useState(() => Date.now());
  const images = offer.assets?.slice(0, 1) ?? [];
  const code = metadata?.type === 'PROMO_CODE' ? metadata.code : undefined;
  const codeId = `offerlet-code-${placed.insertion_id}`;

  function accept(): void {
    // The link opens by itself; the click is stored meanwhile.
    session.accept(placed);
    setClaimed(true);
  }

  return (
    <s-stack gap="small" border="base" borderRadius="base" padding="base" accessibilityRole="section">
      <s-stack direction="inline" gap="small" alignItems="center" justifyContent="space-between">
        <s-stack direction="inline" gap="small" alignItems="center">
          <s-badge>{messages.sponsored}</s-badge>
          {isSandbox && <s-badge>{messages.sandbox}</s-badge>}
        </s-stack>
        {position && (
          <s-text type="small" color="subdued">
            {messages.position.replace('{0}', `${position.at + 1}`).replace('{1}', `${position.of}`)}
          </s-text>
        )}
      </s-stack>
      <s-text color="subdued">{advertiser.name}</s-text>
      <s-heading>{offer.heading}</s-heading>
      {offer.subheading && <s-paragraph>{offer.subheading}</s-paragraph>}
      {images.map(({ id, image_url }) => (
        <s-image key={id} src={image_url} alt="" inlineSize="fill" loading="lazy" aspectRatio="16/9" />
      ))}
      {isClaimed && (
        <s-stack gap="small-200" accessibilityRole="status">
          {(cta.transition_copy ?? !code) && <s-paragraph>{cta.transition_copy ?? messages.claimed}</s-paragraph>}
          {code && (
            <s-stack direction="inline" gap="small" alignItems="center">
              <s-text>{messages.code}</s-text>
              <s-text type="strong">{code}</s-text>
              <s-button command="--copy" commandFor={codeId} variant="secondary">
                {messages.copy}
              </s-button>
              <s-clipboard-item id={codeId} text={code} onCopy={() => session.copy(placed)} />
            </s-stack>
          )}
        </s-stack>
      )}
      <s-stack direction="inline" gap="small">
        <s-button
          href={offer.target_url}
          target="_blank"
          variant="primary"
          accessibilityLabel={`${acceptCopy()} (${messages.newTab})`}
          onClick={accept}
        >
          {acceptCopy()}
        </s-button>
        <s-button variant="secondary" onClick={leave}>
          {isClaimed ? (cta.claimed_decline_copy ?? messages.next) : cta.decline_copy}
        </s-button>
        {position && position.at > 0 && (
          <s-button variant="secondary" onClick={goBack}>
            {messages.back}
          </s-button>
        )}
      </s-stack>
      {legal && <Legal details={legal} terms={messages.terms} />}
    </s-stack>
  );

  function acceptCopy(): string {
    return (isClaimed && cta.claimed_accept_copy) || cta.accept_copy;
  }

  function leave(): void {
    // The second half of a double click on the offer before was not meant for this one.
    if (Date.now() - shownAt < IGNORED_MS) return;
    if (isClaimed) session.next(placed);
    else session.decline(placed);
    onGone();
  }

  function goBack(): void {
    session.back(placed);
    onBack();
  }
}

/** The legal text of an offer: one line, or a summary that expands in place. */
function Legal({ details, terms }: { readonly details: DisclosureDetails; readonly terms: string }): JSX.Element {
  const { copy, content, target_url } = details;
  const link = (text: string): JSX.Element => (
    <s-link href={target_url} target="_blank">
      {text}
    </s-link>
  );
  if (!content)
    return (
      <s-paragraph type="small" color="subdued">
        {target_url ? link(copy) : copy}
      </s-paragraph>
    );
  return (
    <s-details>
      <s-summary>{copy}</s-summary>
      <s-paragraph type="small" color="subdued">
        {content} {target_url && link(terms)}
      </s-paragraph>
    </s-details>
  );
}
