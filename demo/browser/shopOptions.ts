import type { ShowOptions } from 'offerlet';

/** What the shop's server passes to its page: the options of the widget, and how the widget was added. */
export interface ShopPageOptions extends ShowOptions {
  readonly via: 'script' | 'element' | 'npm';
  /** Whether the receipt replaces the order without a page load. */
  readonly isApp: boolean;
  /** Whether there is a cookie banner: nothing may be requested before the shopper has decided. */
  readonly asks: boolean;
}

/** Reads the options from the page. */
export function shopOptions(): ShopPageOptions {
  return JSON.parse(document.body.dataset.shop ?? '{}') as ShopPageOptions;
}

/** The events by which the shop's scripts communicate. */
export interface ShopEvents {
  'shop:consent': boolean;
  'shop:enter': undefined;
  'shop:leave': undefined;
}

/** Emits an event for the shop's other scripts. */
export function emit<Name extends keyof ShopEvents>(name: Name, detail: ShopEvents[Name]): void {
  document.dispatchEvent(new CustomEvent(name, { detail }));
}

/** Listens to an event of the shop's other scripts. */
export function listen<Name extends keyof ShopEvents>(name: Name, listener: (detail: ShopEvents[Name]) => void): void {
  document.addEventListener(name, (event) => listener((event as CustomEvent<ShopEvents[Name]>).detail));
}
