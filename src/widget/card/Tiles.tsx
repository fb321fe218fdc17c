import type { JSX } from 'preact';
import type { PlacedOffer } from '../../wire/offers/response.ts';
import { hide } from './Logo.tsx';
import { OutsideLink } from '../OutsideLink.tsx';
import type { View } from '../widgetView.ts';

/** What a row of tiles is told. */
export interface TilesProps {
  view: View;
  offer: PlacedOffer;
  isShown: boolean;
  /** Shown, or next: its pictures are fetched. The tiles of later steps keep their places, so that no step changes the height. */
  isNear: boolean;
}

/** The offer's pictures, each a link to its own address or to the offer's. */
export function Tiles({ view, offer, isShown, isNear }: TilesProps): JSX.Element | null {
  const { assets = [], heading, target_url } = offer.offer;
  if (!assets.length) return null;
  return (
    <div class="tiles">
      {assets.map((asset, index) => (
        <OutsideLink
          key={asset.id}
          href={asset.target_url ?? target_url}
          title={view.props.messages.newTab}
          ref={isShown && asset.asset_type === 'PRODUCT' ? view.seen(asset, { kind: 'product', offer, asset }) : null}
          onClick={(event) => view.accept(event, offer, asset)}
          onAuxClick={(event) => view.accept(event, offer, asset)}
        >
          {isNear && (
            <img
              loading="lazy"
              src={asset.image_url}
              alt={`${heading} (${index + 1})`}
              width="72"
              height="72"
              decoding="async"
              referrerpolicy="no-referrer"
              onError={hide}
            />
          )}
        </OutsideLink>
      ))}
    </div>
  );
}
