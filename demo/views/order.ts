import type { Choices } from '../choices/choices.ts';

/** The price of each item in euros, in the order of the shop's texts. */
export const PRICES = [42, 16, 6.5] as const;
/** The sum of the prices. */
export const TOTAL = PRICES.reduce((sum, price) => sum + price, 0);
/** The delivery address, in its own country's format in every language. */
export const ADDRESS = ['Jane Doe', '12 Harbour Walk', 'Bristol BS1 4RW'] as const;

/** Formats an amount in a language. */
export function money(amount: number, locale: Choices['locale']): string {
  return new Intl.NumberFormat(locale, { style: 'currency', currency: 'EUR' }).format(amount);
}

/** Formats the day that is `days` days from now, such as Thursday, 5 March. */
export function dayFromNow(days: number, locale: Choices['locale'], now = Date.now()): string {
  const day = new Date(now + days * 86_400_000);
  return new Intl.DateTimeFormat(locale, { weekday: 'long', day: 'numeric', month: 'short' }).format(day);
}

/** Replaces `{0}` in a text. */
export function fill(text: string, value: string): string {
  return text.replace('{0}', () => value);
}
