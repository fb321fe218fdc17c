/**
 * Stops the page behind a layer from scrolling, and answers how to let it go again.
 * A sheet of our own, not an attribute: html stays as it was byte for byte, strict CSPs allow it, and two layers do not meet.
 */
export function lockScroll(document: Document): () => void {
  const root = document.documentElement;
  const hasScrollbar = (document.defaultView?.innerWidth ?? 0) > root.clientWidth;
  return adopt(document, `html{overflow:hidden!important;${hasScrollbar ? 'scrollbar-gutter:stable!important' : ''}}`);
}

/** Adds rules to the page, and answers how to take them back. */
export function adopt(document: Document, css: string): () => void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  return () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== sheet);
  };
}
