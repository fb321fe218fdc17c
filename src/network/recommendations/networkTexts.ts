/** The network's own texts in a response. */
export interface NetworkTexts {
  readonly heading: string;
  readonly attribution: string;
  readonly privacy: string;
}

const ENGLISH: NetworkTexts = {
  heading: 'Picked for you by our partners',
  attribution: 'Offers by the sandbox network',
  privacy: 'Privacy policy',
};
const OTHERS: ReadonlyMap<string, NetworkTexts> = new Map([
  [
    'de',
    {
      heading: 'Von unseren Partnern für Sie',
      attribution: 'Angebote vom Sandbox-Netzwerk',
      privacy: 'Datenschutz',
    },
  ],
  [
    'fr',
    {
      heading: 'Choisi pour vous par nos partenaires',
      attribution: 'Offres du réseau de test',
      privacy: 'Politique de confidentialité',
    },
  ],
  [
    'es',
    {
      heading: 'Elegido para ti por nuestros socios',
      attribution: 'Ofertas de la red de pruebas',
      privacy: 'Política de privacidad',
    },
  ],
  ['ar', { heading: 'اختيارات شركائنا لك', attribution: 'عروض من شبكة الاختبار', privacy: 'سياسة الخصوصية' }],
]);

/** Returns the network's texts in a language (`de`, `ar-EG`), or in English. */
export function networkTexts(language: string | undefined): NetworkTexts {
  return OTHERS.get(primaryLanguage(language) ?? '') ?? ENGLISH;
}

/** The language of a BCP 47 tag without its region: `ar` of `ar-EG`. */
export function primaryLanguage(tag: string | undefined): string | undefined {
  return /^[a-z]+/i.exec(tag ?? '')?.[0].toLowerCase();
}
