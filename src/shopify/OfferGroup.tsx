import { Component, type JSX } from 'preact';
import type { PlacedGroup, PlacedOffer } from '../wire/offers/response.ts';
import type { ShopifyMessages } from './messages.ts';
import { OfferCard } from './OfferCard.tsx';
import type { ShopifySession } from './openShopifySession.ts';

/** Properties of a group of offers. */
export interface OfferGroupProps {
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
export class OfferGroup extends Component<OfferGroupProps, OfferGroupState> {
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
