import { own, plainText } from '../wire/json.ts';

/** All texts of the widget itself. Advertisers' texts come from the network. */
export interface Messages {
  /** The name of the region: "Sponsored offers". */
  offers: string;
  /** The badge on every offer. A text without two different letters is ignored. */
  sponsored: string;
  /** The badge on offers of a sandbox. */
  sandbox: string;
  close: string;
  /** Goes back to the previous offer. */
  back: string;
  /** Goes on to the next offer after an accepted one, unless the network sends its own text. */
  next: string;
  /** The button that shows the whole of a long text. */
  more: string;
  /** `{0}` is the offer's number, `{1}` the number of offers. */
  position: string;
  /** The label of the promo code. */
  code: string;
  copy: string;
  copied: string;
  /** The link at the end of an expanded disclosure. */
  terms: string;
  /** The tooltip of links that open a new tab. */
  newTab: string;
  /** The status of an accepted offer that has neither a text nor a code. */
  claimed: string;
}

/** Texts of the page's own, for some or all of them. */
export type MessageOverrides = { readonly [Name in keyof Messages]?: string | undefined };

/** The order of the texts in `LANGUAGES`. */
export const MESSAGE_KEYS = [
  'offers',
  'sponsored',
  'sandbox',
  'close',
  'back',
  'next',
  'more',
  'position',
  'code',
  'copy',
  'copied',
  'terms',
  'newTab',
  'claimed',
] as const satisfies readonly (keyof Messages)[];

// One line per language, in the order of MESSAGE_KEYS: property names would take more bytes than the texts.

/** The texts of the five bundled languages, separated by `|`. */
export const LANGUAGES = {
  en: 'Sponsored offers|Sponsored|Sandbox|Close|Previous offer|Next|More|Offer {0} of {1}|Your code|Copy|Copied|Terms|Opens in a new tab|Opened in a new tab',
  de: 'Gesponserte Angebote|Gesponsert|Sandbox|Schließen|Voriges Angebot|Weiter|Mehr|Angebot {0} von {1}|Ihr Code|Kopieren|Kopiert|Bedingungen|Öffnet in neuem Tab|In neuem Tab geöffnet',
  fr: 'Offres sponsorisées|Sponsorisé|Sandbox|Fermer|Offre précédente|Suivant|Plus|Offre {0} sur {1}|Votre code|Copier|Copié|Conditions|S’ouvre dans un nouvel onglet|Ouvert dans un nouvel onglet',
  es: 'Ofertas patrocinadas|Patrocinado|Sandbox|Cerrar|Oferta anterior|Siguiente|Más|Oferta {0} de {1}|Tu código|Copiar|Copiado|Condiciones|Se abre en una pestaña nueva|Abierto en una pestaña nueva',
  ar: 'عروض مموّلة|مموّل|Sandbox|إغلاق|العرض السابق|التالي|المزيد|العرض {0} من {1}|الرمز الخاص بك|نسخ|تم النسخ|الشروط|يُفتح في علامة تبويب جديدة|فُتح في علامة تبويب جديدة',
} as const satisfies Readonly<Record<string, string>>;

/** Maximum length of an override in graphemes: labels must fit on buttons. */
const MESSAGE_MAX = 60;

/** Letters that leave a mark: the label has two different ones at least. Hangul's fillers and two hieroglyphs are blank. */
const LETTERS = /[^\P{L}\p{DI}\u{13441}\u{13442}]/gu;

/** Returns the texts for a locale (`de`, `de-AT`; English by default). Overrides that are not empty take precedence. */
export function messagesFor(locale: string, overrides?: MessageOverrides): Messages {
  const language = own(LANGUAGES, locale.slice(0, 2).toLowerCase());
  const texts = (typeof language === 'string' ? language : LANGUAGES.en).split('|');
  return Object.fromEntries(
    MESSAGE_KEYS.map((key, index) => {
      const text = plainText(own(overrides, key), MESSAGE_MAX);
      return [key, text && (key !== 'sponsored' || new Set(text.match(LETTERS)).size > 1) ? text : texts[index]];
    }),
  ) as unknown as Messages;
}
