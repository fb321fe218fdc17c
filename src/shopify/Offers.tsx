import { Component, type ComponentChild, type ComponentChildren, type JSX } from 'preact';
import type { SessionResult } from '../session.ts';
import type { DisclosureDetails, PlacedGroup, PlacedOffer } from '../wire/offers/response.ts';
import type { ShopifySession } from './openShopifySession.ts';

/** The texts of `<Offers>` in English. Advertisers' texts come from the network. */
const ENGLISH = {
  offers: 'Sponsored offers',
  sponsored: 'Sponsored',
  sandbox: 'Sandbox',
  next: 'Next',
  position: 'Offer {0} of {1}',
  code: 'Your code',
  copy: 'Copy',
  terms: 'Terms',
  newTab: 'Opens in a new tab',
  claimed: 'Opened in a new tab',
  preview: 'Offers of partners appear here after the purchase.',
} as const;

/** The texts of `<Offers>`, with the names that the widget uses. */
type ShopifyMessages = Readonly<Record<keyof typeof ENGLISH, string>>;

/** Properties of `<Offers>`. */
export interface OffersProps {
  session: ShopifySession;
  /** Texts in the shopper's language, such as those of `shopify.i18n.translate`. By default English. */
  messages?: Partial<ShopifyMessages> | undefined;
}

interface OffersState {
  readonly found?: SessionResult | undefined;
  /** The groups that the shopper has gone through. */
  readonly finished: readonly string[];
}

/**
 * Shows the offers of a session with the platform's own elements, inline. Renders nothing while there are none, after the
 * last one was declined, and once consent is withdrawn; in the checkout editor a placeholder. A class: hooks would take another kilobyte.
 */
export class Offers extends Component<OffersProps, OffersState> {
  override state: OffersState = { finished: [] };
  stop: (() => void) | undefined;
  isOurRenderer = false;

  override componentDidMount(): void {
    const { session } = this.props;
    if (!this.isOurRenderer) {
      // Nothing would ever be shown, so nothing may be counted as shown.
      session.destroy();
      // oxlint-disable-next-line no-console -- to Preact everything is all right, and the place stays empty
      console.error(TWO_COPIES);
      return;
    }
    // The offers of the latest outcome: consent can be given late, withdrawn, and given again.
    this.stop = session.subscribe((event) => {
      if (event.type === 'outcome') this.setState({ found: event, finished: [] });
    });
    if (session.latest) this.setState({ found: session.latest });
  }

  override componentWillUnmount(): void {
    this.stop?.();
    this.stop = undefined;
  }

  override render({ session, messages: overrides }: OffersProps, { found, finished }: OffersState): JSX.Element {
    const groups = found?.groups.filter(({ id }) => !finished.includes(id)) ?? [];
    const messages = textsFrom(overrides);
    if (!found || groups.length === 0) {
      return <Probe onRender={() => (this.isOurRenderer = true)}>{session.isPreview && placeholderOf(messages)}</Probe>;
    }
    const { attribution_details: brand, privacy_policy: privacy } = found.footer;
    return (
      <s-section accessibilityLabel={messages.offers}>
        <s-stack gap="base">
          {groups.map((group) => (
            <OfferGroup
              key={group.id}
              session={session}
              group={group}
              messages={messages}
              isSandbox={found.isSandbox}
              onFinished={() => {
                if (groups.length === 1) session.dismiss('finished');
                this.setState({ finished: [...finished, group.id] });
              }}
            />
          ))}
          <s-stack direction="inline" gap="base">
            {brand && outsideLink(brand.copy, brand.target_url, () => session.footer('brand'))}
            {privacy && outsideLink(privacy.copy, privacy.target_url, () => session.footer('privacy'))}
          </s-stack>
        </s-stack>
      </s-section>
    );
  }
}

const TWO_COPIES =
  'offerlet: <Offers> cannot be shown, because the extension contains two versions of Preact. Install one that fits "^10.10.0 || ^11.0.0"; "npm ls preact" shows who brings another.';

/** Tells that the Preact which renders understands the elements of the one that is imported here. Another version skips them. */
function Probe({ onRender, children }: { onRender: () => void; children: ComponentChildren }): JSX.Element {
  onRender();
  return <>{children}</>;
}

/** What a merchant sees in the checkout editor. */
function placeholderOf({ offers, sponsored, preview }: ShopifyMessages): JSX.Element {
  return (
    <s-section accessibilityLabel={offers}>
      <s-stack gap="small" border="base" borderRadius="base" padding="base">
        <s-badge>{sponsored}</s-badge>
        <s-paragraph color="subdued">{preview}</s-paragraph>
      </s-stack>
    </s-section>
  );
}

/** Returns the English texts, replaced by those of the extension that are not empty. */
function textsFrom(overrides: { readonly [Name in keyof ShopifyMessages]?: string | undefined } = {}): ShopifyMessages {
  const texts: Record<keyof ShopifyMessages, string> = { ...ENGLISH };
  for (const name of Object.keys(ENGLISH) as (keyof ShopifyMessages)[])
    texts[name] = overrides[name]?.trim() || texts[name];
  return texts;
}

/** Properties of a group of offers. */
interface OfferGroupProps {
  readonly session: ShopifySession;
  readonly group: PlacedGroup;
  readonly messages: ShopifyMessages;
  readonly isSandbox: boolean;
  /** Called when the shopper has gone past the last offer. */
  onFinished(): void;
}

interface OfferGroupState {
  /** Which offer is shown, when they are shown one at a time. */
  readonly at: number;
  /** Offers of a list that the shopper declined. */
  readonly gone: readonly PlacedOffer[];
}

/** The offers of a group: one at a time, or as a list when the network says so. */
class OfferGroup extends Component<OfferGroupProps, OfferGroupState> {
  override state: OfferGroupState = { at: 0, gone: [] };

  override componentDidMount(): void {
    // The platform has rendered them; whether they are in view, an extension cannot know.
    for (const offer of this.shown()) this.props.session.displayed(offer);
  }

  override componentDidUpdate(): void {
    this.componentDidMount();
  }

  isList(): boolean {
    return this.props.group.slot_context === 'SCROLLABLE';
  }

  shown(): readonly PlacedOffer[] {
    const { at, gone } = this.state;
    const { offers } = this.props.group;
    return this.isList() ? offers.filter((offer) => !gone.includes(offer)) : offers.slice(at, at + 1);
  }

  goOn(from: PlacedOffer): void {
    const { offers } = this.props.group;
    // A second click on an offer that has just gone counts from that offer.
    const at = offers.indexOf(from) + 1;
    const gone = [...new Set([...this.state.gone, from])];
    if (this.isList() ? gone.length === offers.length : at === offers.length) this.props.onFinished();
    else this.setState({ at, gone });
  }

  override render({ session, group, messages, isSandbox }: OfferGroupProps, { at }: OfferGroupState): JSX.Element {
    const { heading, offers } = group;
    return (
      <s-stack gap="base">
        {heading && <s-heading>{heading}</s-heading>}
        {this.shown().map((offer) => (
          <OfferCard
            key={offer.insertion_id}
            session={session}
            offer={offer}
            messages={messages}
            isSandbox={isSandbox}
            position={this.isList() || offers.length < 2 ? undefined : { at, of: offers.length }}
            onGone={() => this.goOn(offer)}
          />
        ))}
      </s-stack>
    );
  }
}

/** Properties of one offer. */
interface OfferCardProps {
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
class OfferCard extends Component<OfferCardProps, { readonly isClaimed: boolean }> {
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

/** Returns a link that opens in a new tab, or its text alone when there is no URL. */
function outsideLink(text: string, href: string | undefined, onClick?: () => void): ComponentChild {
  return href ? (
    <s-link href={href} target="_blank" onClick={onClick}>
      {text}
    </s-link>
  ) : (
    text
  );
}
