import type { JSX, TargetedEvent } from 'preact';
import type { Advertiser } from '../../wire/offers/response.ts';

/** The advertiser's logo in its tile, above the first letter of the name, which shows until the image has loaded. */
export function Logo({ advertiser }: { advertiser: Advertiser }): JSX.Element {
  return (
    <span class="logo" part="logo" aria-hidden="true">
      {[...advertiser.name][0]}
      {advertiser.logo_url && (
        <img
          loading="lazy" // before src: Firefox reads it when src is set
          src={advertiser.logo_url}
          alt=""
          width="48"
          height="48"
          decoding="async"
          referrerpolicy="no-referrer"
          onError={hideImage}
        />
      )}
    </span>
  );
}

/** Hides an image that failed to load. */
export function hideImage(event: TargetedEvent<HTMLElement>): void {
  event.currentTarget.hidden = true;
}
