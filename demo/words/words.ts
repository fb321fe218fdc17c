import type { Choices } from '../choices/choices.ts';
import { AR } from './ar.ts';
import { DE } from './de.ts';
import { EN } from './en.ts';
import { ES } from './es.ts';
import { FR } from './fr.ts';

/** The shop's texts in one language. `{0}` is replaced by a number, a name or a date. */
export interface Words {
  nav: readonly [string, string, string];
  account: string;
  bag: string;
  order: string;
  views: Readonly<Record<Choices['view'], readonly [title: string, text: string]>>;
  steps: readonly [string, string, string, string];
  arrives: string;
  partners: string;
  summary: string;
  items: readonly (readonly [name: string, note: string])[];
  subtotal: string;
  delivery: string;
  free: string;
  total: string;
  deliverTo: string;
  paidWith: string;
  card: string;
  journey: readonly [string, string, string];
  rate: string;
  stars: string;
  checkout: readonly [contact: string, pay: string, invoice: string, place: string];
  email: string;
  help: readonly [search: string, where: string, back: string, address: string, talk: string];
  receipt: readonly [order: string, receipt: string, date: string, thanks: string];
  cookies: readonly [title: string, text: string, accept: string, decline: string, settings: string];
  footer: string;
}

/** The shop's texts in each language of the widget. */
export const WORDS: Readonly<Record<Choices['locale'], Words>> = { en: EN, de: DE, fr: FR, es: ES, ar: AR };
