import type { JSX } from 'preact';
import type { PlacedOffer } from '../../wire/offers/response.ts';
import { Badges } from './Badges.tsx';
import { ClaimStatus } from './ClaimStatus.tsx';
import { Disclosure } from './Disclosure.tsx';
import { Logo } from './Logo.tsx';
import { OfferText } from './OfferText.tsx';
import { OutsideLink } from '../OutsideLink.tsx';
import { Tiles } from './Tiles.tsx';
import type { WidgetView } from '../widgetView.ts';

/** Props of one offer. */
export interface OfferCardProps {
  view: WidgetView;
  offer: PlacedOffer;
  /** All offers of the group when they are shown one at a time, undefined in a list. */
  sequence: readonly PlacedOffer[] | undefined;
  /** Whether its badge and heading name the dialog. */
  isTitle: boolean;
  level: 'h2' | 'h3';
}

/** One offer: disclosure, advertiser, heading, subheading, accept, decline, legal, in that order. */
export function OfferCard({ view, offer: placed, sequence, isTitle, level }: OfferCardProps): JSX.Element {
  const { messages, mode } = view.props;
  const { advertiser, offer } = placed;
  const { cta_details: cta, disclosure_details: details } = offer;
  const isClaimed = view.state.claimed.includes(placed);
  const index = sequence?.indexOf(placed) ?? 0;
  const count = sequence?.length ?? 1;
  const before = sequence?.[index - 1];
  const isPictured = sequence && offer.assets?.length === 1;
  const images = <Tiles view={view} offer={placed} kind={isPictured ? 'picture' : 'tiles'} />;
  const claim = <ClaimStatus view={view} offer={placed} isClaimed={isClaimed} />;

  return (
    <article
      class="offer"
      aria-label={sequence ? undefined : `${messages.sponsored}: ${advertiser.name}`}
      ref={view.seen(placed, { kind: 'offer', offer: placed })}
    >
      <div class="top">
        <Logo advertiser={advertiser} />
        {sequence && <Badges view={view} isTitle={isTitle} />}
        <div class="brand">
          <p part="advertiser" dir="auto">
            {advertiser.name}
          </p>
          {advertiser.description && (
            <p class="small" dir="auto">
              {advertiser.description}
            </p>
          )}
        </div>
        {count > 1 && (
          <span class="position">
            {before && (
              <button
                type="button"
                class="icon back"
                aria-label={messages.back}
                onClick={(event) => view.back(event, placed, before)}
              />
            )}
            {/* The words are heard; in the row there is room for the numbers. */}
            <span role="img" aria-label={messages.position.replace('{0}', `${index + 1}`).replace('{1}', `${count}`)}>
              {index + 1}/{count}
            </span>
          </span>
        )}
      </div>
      {isPictured && images}
      <OfferText view={view} offer={placed} isTitle={isTitle} level={level} />
      {!isPictured && images}
      {/* Where nothing moves under the pointer: the bottom of a pull-up stays, elsewhere the top. */}
      {mode === 'PULLUP' && claim}
      <div class={`actions${isClaimed ? ' claimed' : ''}`}>
        <OutsideLink
          part="accept"
          href={offer.target_url}
          title={messages.newTab}
          dir="auto"
          onClick={(event) => view.accept(event, placed)}
          onAuxClick={(event) => view.accept(event, placed)}
        >
          {(isClaimed && cta.claimed_accept_copy) || cta.accept_copy}
        </OutsideLink>
        <button type="button" part="decline" dir="auto" onClick={(event) => view.pass(event, placed)}>
          {isClaimed
            ? (cta.claimed_decline_copy ?? (index === count - 1 ? messages.close : messages.next))
            : cta.decline_copy}
        </button>
      </div>
      {mode !== 'PULLUP' && claim}
      {details && <Disclosure details={details} messages={messages} />}
    </article>
  );
}
