/** How the site's search ranks sections: what merchants look for first comes before specifications and lists of names. */
export const SEARCH_OPTIONS = {
  fuzzy: 0.2,
  prefix: true,
  // A word that only begins with what was typed counts less than the word: 0.375 is the library's own.
  weights: { fuzzy: 0.45, prefix: 0.33 },
  boost: { title: 4, text: 2, titles: 1 },
  // The site carries the text of this function, so it uses nothing outside itself.
  boostDocument: (id) => {
    if (/\/reference\/(exports|commands|types|scenarios)/.test(id)) return 0.3;
    if (id.includes('/operators/metrics')) return 1;
    if (/\/(project|operators)\//.test(id)) return 0.4;
    if (/\/data(#|$)/.test(id)) return 2.5;
    if (/\/errors(#|$)/.test(id)) return 1.25;
    if (id.includes('/start/make-it-yours')) return 1;
    if (id.includes('/start/')) return 2;
    return id.includes('/guides/consent') ? 1.2 : 1;
  },
};
