import type { JSX, TargetedEvent } from 'preact';
import type { Advertiser } from '../../wire/offers/response.ts';

/** The advertiser's logo in its tile, above the first letter of the name, which shows until the image has loaded. */
export function Logo({ advertiser: { name, logo_url } }: { advertiser: Advertiser }): JSX.Element {
  return (
    <span class="logo" part="logo" aria-hidden="true" ref={tint}>
      {[...name][0]}
      {logo_url && (
        <img
          loading="lazy" // before src: Firefox reads it when src is set
          src={logo_url}
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

  /** Gives each name a hue of its own. By script, because Content Security Policies forbid `style` attributes. */
  function tint(tile: HTMLElement | null): void {
    tile?.style.setProperty('--hue', `${[...name].reduce((sum, character) => sum + character.charCodeAt(0) * 37, 0)}`);
  }
}

/** Hides an image that failed to load. */
export function hideImage(event: TargetedEvent<HTMLElement>): void {
  event.currentTarget.hidden = true;
}
