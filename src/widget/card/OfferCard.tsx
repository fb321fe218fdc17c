import type { JSX } from 'preact';
import type { PlacedOffer } from '../../wire/offers/response.ts';
import { ClaimStatus } from './ClaimStatus.tsx';
import { Disclosure } from './Disclosure.tsx';
import { Logo } from './Logo.tsx';
import { OutsideLink } from '../OutsideLink.tsx';
import { Tiles } from './Tiles.tsx';
import { Words } from './Words.tsx';
import type { WidgetView } from '../widgetView.ts';

/** Props of one offer card. */
export interface OfferCardProps {
  view: WidgetView;
  offer: PlacedOffer;
  /** All offers of the group when they are shown one at a time, otherwise empty. */
  sequence: readonly PlacedOffer[];
  /** Whether its badge and heading name the dialog. */
  isTitle: boolean;
  level: 'h2' | 'h3';
  part: string | undefined;
}

/** One offer: disclosure, advertiser, heading, subheading, accept, decline, legal, in that order. */
export function OfferCard({ view, offer: placed, sequence, isTitle, level, part }: OfferCardProps): JSX.Element {
  const { messages, sandbox } = view.props;
  const { advertiser, offer } = placed;
  const { cta_details: cta, disclosure_details: details } = offer;
  const isClaimed = view.state.claimed.includes(placed);
  const index = sequence.indexOf(placed);
  const before = sequence[index - 1];
  const isLast = index === sequence.length - 1;

  return (
    <article class="offer" part={part} ref={view.seen(placed, { kind: 'offer', offer: placed })}>
      <div class="top">
        <div class="badges">
          <span class="badge" id={isTitle ? 'badge' : undefined}>
            {messages.sponsored}
          </span>
          {sandbox && <span class="badge sandbox">{messages.sandbox}</span>}
        </div>
        {sequence.length > 1 && (
          <span class="position">
            {before && (
              <button
                type="button"
                class="icon back"
                aria-label={messages.back}
                onClick={(event) => view.back(event, placed, before)}
              />
            )}
            {messages.position.replace('{0}', `${index + 1}`).replace('{1}', `${sequence.length}`)}
          </span>
        )}
        <div class="brand">
          <Logo advertiser={advertiser} />
          <div>
            <p part="advertiser" dir="auto">
              {advertiser.name}
            </p>
            {advertiser.description && (
              <p class="small" dir="auto">
                {advertiser.description}
              </p>
            )}
          </div>
        </div>
      </div>
      <Words view={view} offer={placed} isTitle={isTitle} level={level} />
      <Tiles view={view} offer={placed} />
      <ClaimStatus view={view} offer={placed} isClaimed={isClaimed} />
      <div class="actions">
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
          {isClaimed ? (cta.claimed_decline_copy ?? (isLast ? messages.close : messages.next)) : cta.decline_copy}
        </button>
      </div>
      {details && <Disclosure details={details} messages={messages} />}
    </article>
  );
}
