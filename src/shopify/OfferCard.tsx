import { Component, type JSX } from 'preact';
import type { DisclosureDetails, PlacedOffer } from '../wire/offers/response.ts';
import type { ShopifyMessages } from './messages.ts';
import { outsideLink } from './outsideLink.tsx';
import type { ShopifySession } from './openShopifySession.ts';

/** Properties of one offer. */
export interface OfferCardProps {
  readonly session: ShopifySession;
  readonly offer: PlacedOffer;
  readonly messages: ShopifyMessages;
  readonly isSandbox: boolean;
  /** Which offer of how many it is, when they are shown one at a time. */
  readonly position: { readonly at: number; readonly of: number } | undefined;
  /** The shopper declined it, or went on after accepting it. */
  onGone(): void;
}

/** Milliseconds for which an offer that has just appeared ignores "No thanks". */
const IGNORED_MS = 400;

/** One offer: "Sponsored", advertiser, heading, copy, image, accept, decline, legal text, in that order. */
export class OfferCard extends Component<OfferCardProps, { readonly isClaimed: boolean }> {
  override state = { isClaimed: false };
  shownAt = Date.now();

  accept = (): void => {
    // The link opens by itself; the click is stored meanwhile.
    void this.props.session.accept(this.props.offer);
    this.setState({ isClaimed: true });
  };

  leave = (): void => {
    // The second half of a double click on the offer before was not meant for this one.
    if (Date.now() - this.shownAt < IGNORED_MS) return;
    const { session, offer, onGone } = this.props;
    if (this.state.isClaimed) session.next(offer);
    else session.decline(offer);
    onGone();
  };

  override render(
    { session, offer: placed, messages, isSandbox, position }: OfferCardProps,
    { isClaimed }: { readonly isClaimed: boolean },
  ): JSX.Element {
    const { advertiser, offer } = placed;
    const { cta_details: cta, metadata, disclosure_details: legal } = offer;
    const image = offer.assets?.[0];
    const code = metadata?.type === 'PROMO_CODE' ? metadata.code : undefined;
    const codeId = `offerlet-code-${placed.insertion_id}`;
    const acceptCopy = (isClaimed && cta.claimed_accept_copy) || cta.accept_copy;
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
        {image && <s-image src={image.image_url} alt="" inlineSize="fill" aspectRatio="16/9" />}
        {isClaimed && (
          <s-stack gap="small" accessibilityRole="status">
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
            accessibilityLabel={`${acceptCopy} (${messages.newTab})`}
            onClick={this.accept}
          >
            {acceptCopy}
          </s-button>
          <s-button variant="secondary" onClick={this.leave}>
            {isClaimed ? (cta.claimed_decline_copy ?? messages.next) : cta.decline_copy}
          </s-button>
        </s-stack>
        {legal && legalOf(legal, messages)}
      </s-stack>
    );
  }
}

/** The legal text of an offer: one line, or a summary that expands in place. */
function legalOf({ copy, content, target_url }: DisclosureDetails, { terms }: ShopifyMessages): JSX.Element {
  return content ? (
    <s-details>
      <s-summary>{copy}</s-summary>
      <s-paragraph color="subdued">
        {content} {target_url && outsideLink(terms, target_url)}
      </s-paragraph>
    </s-details>
  ) : (
    <s-paragraph color="subdued">{outsideLink(copy, target_url)}</s-paragraph>
  );
}
