import type { ShowOptions } from 'offerlet';

/** What the shop's server tells its page: the options of its widget, and which way it was put there. */
export interface ShopPageOptions extends ShowOptions {
  readonly via: 'script' | 'element' | 'npm';
  /** The receipt replaces the order without a page load. */
  readonly isApp: boolean;
  /** There is a cookie banner, and nothing may be asked before it is answered. */
  readonly asks: boolean;
}

/** The options that the page carries. */
export function shopOptions(): ShopPageOptions {
  return JSON.parse(document.body.dataset.shop ?? '{}') as ShopPageOptions;
}

/** What one part of the shop's page tells the others. */
export interface ShopEvents {
  'shop:consent': boolean;
  'shop:enter': undefined;
  'shop:leave': undefined;
}

/** Tells the shop's other scripts. */
export function tell<Name extends keyof ShopEvents>(name: Name, detail: ShopEvents[Name]): void {
  document.dispatchEvent(new CustomEvent(name, { detail }));
}

/** Hears what another of the shop's scripts tells. */
export function hear<Name extends keyof ShopEvents>(name: Name, heard: (detail: ShopEvents[Name]) => void): void {
  document.addEventListener(name, (event) => heard((event as CustomEvent<ShopEvents[Name]>).detail));
}
