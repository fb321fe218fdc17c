import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { PlacedGroup, PlacedOffer } from '../wire/offers/response.ts';
import type { Messages } from '../widget/messages/messages.ts';
import { OfferCard } from './OfferCard.tsx';
import type { ShopifySession } from './openShopifySession.ts';

/** Properties of a group of offers. */
export interface OfferGroupProps {
  readonly session: ShopifySession;
  readonly group: PlacedGroup;
  readonly messages: Messages;
  readonly isSandbox: boolean;
  /** Called when the shopper has gone past the last offer. */
  onFinished(): void;
}

/** The offers of a group: one at a time, or as a list when the network says so. */
export function OfferGroup({ session, group, messages, isSandbox, onFinished }: OfferGroupProps): JSX.Element {
  const { offers } = group;
  const isList = group.slot_context === 'SCROLLABLE';
  const [at, setAt] = useState(0);
  const [gone, setGone] = useState<readonly PlacedOffer[]>([]);
  const shown = isList ? offers.filter((offer) => !gone.includes(offer)) : offers.slice(at, at + 1);

  useEffect(() => {
    // The platform has rendered them; whether they are in view, an extension cannot know.
    for (const offer of shown) session.displayed(offer);
  });

  function goOn(from: PlacedOffer): void {
    if (shown.length === 1 && (isList || at === offers.length - 1)) return onFinished();
    if (isList) setGone([...gone, from]);
    else setAt(at + 1);
  }

  return (
    <s-stack gap="base">
      {group.heading && <s-heading>{group.heading}</s-heading>}
      {shown.map((offer) => (
        <OfferCard
          key={offer.insertion_id}
          session={session}
          offer={offer}
          messages={messages}
          isSandbox={isSandbox}
          position={isList || offers.length < 2 ? undefined : { at, of: offers.length }}
          onGone={() => goOn(offer)}
          onBack={() => setAt(at - 1)}
        />
      ))}
    </s-stack>
  );
}
