import type { ComponentChildren, JSX } from 'preact';
import type { PlacedGroup, PlacedOffer } from '../wire/offers/response.ts';
import { Badges, OfferCard, OutsideLink, watchImage } from './OfferCard.tsx';
import { LAYERS, type WidgetProps, type WidgetState, type WidgetView } from './props.ts';

/** The whole widget, in the element that its mode requires. */
export function Widget({ view }: { view: WidgetView }): JSX.Element {
  const { mode, groups, messages, locale, theme } = view.props;
  const layer = LAYERS[mode];
  const isDialog = layer === 'dialog';
  const isSheet = layer === 'sheet';
  const shown = groups.filter((group) => shownOffers(view.state, group).length);
  const Root = isDialog ? 'dialog' : 'section';
  let { limit } = view;

  return (
    <Root
      class={`root ${theme} ${layer ? 'layer ' : ''}${shown.some(isList) ? '' : 'single '}${mode.toLowerCase()}`}
      hidden={false} // in the page's HTML it is, until there are styles
      lang={locale}
      dir={/^(ar|fa|he|ur)\b/i.test(locale) ? 'rtl' : undefined}
      popover={isSheet ? 'manual' : undefined}
      aria-labelledby={isDialog ? 'badge title' : undefined}
      aria-label={isDialog ? undefined : messages.offers}
    >
      <div class="surface" part="card" ref={view.seen(view.seen, {})}>
        {isSheet && <button type="button" class="handle" aria-label={messages.offers} aria-expanded="true" />}
        {shown.map((group, index) => {
          const left = limit;
          limit -= shownOffers(view.state, group).length;
          return <Group key={group.id} view={view} group={group} limit={left} isFirst={!index} />;
        })}
        <FooterLine {...view.props} />
        {layer && (
          <button
            type="button"
            class="icon"
            part="close"
            aria-label={messages.close}
            onClick={() => view.dismiss('close')}
          />
        )}
      </div>
    </Root>
  );
}

function Group({
  view,
  group,
  limit,
  isFirst,
}: {
  view: WidgetView;
  group: PlacedGroup;
  limit: number;
  isFirst: boolean;
}): JSX.Element {
  const current = shownOffers(view.state, group);
  const heading = group.heading && (
    <h2 class="heading">
      <bdi>{group.heading}</bdi>
    </h2>
  );
  return (
    <div class={isList(group) ? 'group list' : 'group hero'}>
      {isList(group) ? (
        <div class="head">
          {heading}
          <Badges view={view} isTitle={isFirst} />
        </div>
      ) : (
        heading
      )}
      <div class="offers">
        {current.slice(0, Math.max(limit, 0)).map((offer) => (
          <OfferCard
            key={offer.insertion_id}
            view={view}
            offer={offer}
            sequence={isList(group) ? undefined : group.offers}
            isTitle={isFirst && offer === current[0]}
            level={group.heading ? 'h3' : 'h2'}
          />
        ))}
      </div>
    </div>
  );
}

/** Whether a group shows all its offers as a list; every other group shows one at a time. */
export function isList(group: PlacedGroup): boolean {
  return group.slot_context === 'SCROLLABLE';
}

/** Returns the offers of a group that are shown now: what the shopper has passed is not. */
export function shownOffers(state: WidgetState, group: PlacedGroup): readonly PlacedOffer[] {
  return group.offers.filter((offer) => !state.passed.includes(offer)).slice(0, isList(group) ? Infinity : 1);
}

/** The network's attribution and privacy link, or nothing when the response has neither. */
export function FooterLine({ footer, messages, on }: WidgetProps): JSX.Element | null {
  const { attribution_details: brand, privacy_policy: privacy } = footer;
  if (!brand && !privacy) return null;
  return (
    <footer part="footer" class="small">
      {brand &&
        link('brand', brand.target_url, [
          brand.logo_url && (
            <img
              src={brand.logo_url}
              alt=""
              width="16"
              height="16"
              decoding="async"
              referrerpolicy="no-referrer"
              ref={watchImage}
            />
          ),
          <span>{brand.copy}</span>,
        ])}
      {privacy && link('privacy', privacy.target_url, <span>{privacy.copy}</span>)}
    </footer>
  );

  function link(name: 'brand' | 'privacy', href: string | undefined, children: ComponentChildren): JSX.Element {
    return href ? (
      <OutsideLink href={href} title={messages.newTab} dir="auto" onClick={() => on({ type: 'footer', link: name })}>
        {children}
      </OutsideLink>
    ) : (
      <span dir="auto">{children}</span>
    );
  }
}
