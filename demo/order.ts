import type { Choices } from './choices.ts';

/** What each item costs, in euros, in the order of the shop's words. */
export const PRICES = [42, 16, 6.5] as const;
/** All of them. */
export const TOTAL = PRICES.reduce((sum, price) => sum + price, 0);
/** Where it goes: an address is written in its own country's way. */
export const ADDRESS = ['Jane Doe', '12 Harbour Walk', 'Bristol BS1 4RW'] as const;

/** An amount as people of that language write it. */
export function money(amount: number, locale: Choices['locale']): string {
  return new Intl.NumberFormat(locale, { style: 'currency', currency: 'EUR' }).format(amount);
}

/** A day that is so many days from now, such as Thursday, 5 March. */
export function dayFromNow(days: number, locale: Choices['locale'], now = Date.now()): string {
  const day = new Date(now + days * 86_400_000);
  return new Intl.DateTimeFormat(locale, { weekday: 'long', day: 'numeric', month: 'long' }).format(day);
}

/** A text with something put where it says `{0}`. */
export function fill(text: string, value: string): string {
  return text.replace('{0}', () => value);
}
