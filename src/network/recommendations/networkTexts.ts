/** The network's own texts in a response. */
export interface NetworkTexts {
  readonly heading: string;
  readonly attribution: string;
  readonly privacy: string;
}

const ENGLISH: NetworkTexts = {
  heading: 'Thank you for your order',
  attribution: 'Offers by the sandbox network',
  privacy: 'Privacy policy',
};
const OTHERS: ReadonlyMap<string, NetworkTexts> = new Map([
  [
    'de',
    {
      heading: 'Danke für Ihre Bestellung',
      attribution: 'Angebote vom Sandbox-Netzwerk',
      privacy: 'Datenschutzerklärung',
    },
  ],
  [
    'fr',
    {
      heading: 'Merci pour votre commande',
      attribution: 'Offres du réseau de test',
      privacy: 'Politique de confidentialité',
    },
  ],
  [
    'es',
    {
      heading: 'Gracias por tu pedido',
      attribution: 'Ofertas de la red de pruebas',
      privacy: 'Política de privacidad',
    },
  ],
  ['ar', { heading: 'شكرًا لطلبك', attribution: 'عروض من شبكة الاختبار', privacy: 'سياسة الخصوصية' }],
]);

/** Returns the network's texts in a language (`de`, `ar-EG`), or in English. */
export function networkTexts(language: string | undefined): NetworkTexts {
  return OTHERS.get(primaryLanguage(language) ?? '') ?? ENGLISH;
}

/** The language of a BCP 47 tag without its region: `ar` of `ar-EG`. */
export function primaryLanguage(tag: string | undefined): string | undefined {
  return /^[a-z]+/i.exec(tag ?? '')?.[0].toLowerCase();
}
