import { dom } from '../../dom/dom.ts';

/**
 * Stops the page behind a layer from scrolling, and returns a function that lets it scroll again.
 * It uses a stylesheet, not an attribute: html stays as it was byte for byte, strict CSPs allow it, and two layers don't conflict.
 */
export function lockScroll(): () => void {
  const hasScrollbar = innerWidth > dom.documentElement.clientWidth;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`html{overflow:hidden!important;${hasScrollbar ? 'scrollbar-gutter:stable!important' : ''}}`);
  dom.adoptedStyleSheets = [...dom.adoptedStyleSheets, sheet];
  return () => {
    dom.adoptedStyleSheets = dom.adoptedStyleSheets.filter((other) => other !== sheet);
  };
}
