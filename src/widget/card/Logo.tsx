import type { JSX } from 'preact';
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
          ref={watchImage}
        />
      )}
    </span>
  );

  /** Gives each name a hue of its own. By script, because Content Security Policies forbid `style` attributes. */
  function tint(tile: HTMLElement | null): void {
    tile?.style.setProperty('--hue', `${[...name].reduce((sum, character) => sum + character.charCodeAt(0) * 37, 0)}`);
  }
}

/** Milliseconds in which an image that fails gives up its space. Later, something would move under the pointer. */
const GIVE_UP_MS = 1000;

/** Shows an image once it has loaded, and removes it if it fails at once. */
export function watchImage(image: HTMLImageElement | null): void {
  const start = performance.now();
  const show = (): void => image?.classList.add('loaded');
  image?.addEventListener('load', show);
  // It was loaded before.
  if (image?.naturalWidth) show();
  image?.addEventListener('error', () => (image.hidden = performance.now() - start < GIVE_UP_MS));
}
