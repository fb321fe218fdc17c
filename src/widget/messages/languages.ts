// One line per language, in the order of MESSAGE_KEYS: property names would take more bytes than the texts.

/** The texts of the five bundled languages, separated by `|`. */
export const LANGUAGES = {
  en: 'Sponsored offers|Sponsored|Sandbox|Close|Previous offer|Next|More|Offer {0} of {1}|Your code|Copy|Copied|Terms|Opens in a new tab|Opened in a new tab',
  de: 'Gesponserte Angebote|Gesponsert|Sandbox|Schließen|Voriges Angebot|Weiter|Mehr|Angebot {0} von {1}|Ihr Code|Kopieren|Kopiert|Bedingungen|Öffnet in neuem Tab|In neuem Tab geöffnet',
  fr: 'Offres sponsorisées|Sponsorisé|Sandbox|Fermer|Offre précédente|Suivant|Plus|Offre {0} sur {1}|Votre code|Copier|Copié|Conditions|S’ouvre dans un nouvel onglet|Ouvert dans un nouvel onglet',
  es: 'Ofertas patrocinadas|Patrocinado|Sandbox|Cerrar|Oferta anterior|Siguiente|Más|Oferta {0} de {1}|Tu código|Copiar|Copiado|Condiciones|Se abre en una pestaña nueva|Abierto en una pestaña nueva',
  ar: 'عروض مموّلة|مموّل|Sandbox|إغلاق|العرض السابق|التالي|المزيد|العرض {0} من {1}|الرمز الخاص بك|نسخ|تم النسخ|الشروط|يُفتح في علامة تبويب جديدة|فُتح في علامة تبويب جديدة',
} as const satisfies Readonly<Record<string, string>>;
