import type { JSX, TargetedEvent } from 'preact';
import type { Advertiser } from '../../wire/offers/response.ts';

/** The advertiser's logo in its tile; the first letter of the name lies beneath and shows while there is none. */
export function Logo({ advertiser, isNear }: { advertiser: Advertiser; isNear: boolean }): JSX.Element {
  return (
    <span class="logo" part="logo" aria-hidden="true">
      {[...advertiser.name][0]}
      {advertiser.logo_url && isNear && (
        <img
          loading="lazy" // before src: Firefox looks at it when the address comes
          src={advertiser.logo_url}
          alt=""
          width="48"
          height="48"
          decoding="async"
          referrerpolicy="no-referrer"
          onError={hide}
        />
      )}
    </span>
  );
}

/** Takes a picture that did not come off the page. */
export function hide(event: TargetedEvent<HTMLElement>): void {
  event.currentTarget.hidden = true;
}
