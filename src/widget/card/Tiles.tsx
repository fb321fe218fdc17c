import type { JSX } from 'preact';
import type { PlacedOffer } from '../../wire/offers/response.ts';
import { watchImage } from './Logo.tsx';
import { OutsideLink } from '../OutsideLink.tsx';
import type { WidgetView } from '../widgetView.ts';

/** Props of an offer's images. */
export interface TilesProps {
  view: WidgetView;
  offer: PlacedOffer;
  /** `picture` for a large one, `tiles` for a row. */
  kind: 'picture' | 'tiles';
}

/** The offer's images, each a link to its own URL or to the offer's. One that fails to load at once leaves no gap. */
export function Tiles({ view, offer, kind }: TilesProps): JSX.Element | null {
  const { assets = [], heading, target_url } = offer.offer;
  if (!assets.length) return null;
  return (
    <div class={kind}>
      {assets.map((asset, index) => (
        <OutsideLink
          key={asset.id}
          href={asset.target_url ?? target_url}
          title={view.props.messages.newTab}
          ref={asset.asset_type === 'PRODUCT' ? view.seen(asset, { kind: 'product', offer, asset }) : null}
          onClick={(event) => view.accept(event, offer, asset)}
          onAuxClick={(event) => view.accept(event, offer, asset)}
        >
          <img
            loading="lazy"
            src={asset.image_url}
            alt={`${heading} (${index + 1})`}
            decoding="async"
            referrerpolicy="no-referrer"
            ref={watchImage}
          />
        </OutsideLink>
      ))}
    </div>
  );
}
