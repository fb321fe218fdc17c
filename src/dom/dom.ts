import { readPast } from './unclobbered.ts';

/** The page's document, read past DOM clobbering: with `<img name="body">` on a page, `document.body` is that image. */
export const dom: Document = /* @__PURE__ */ readPast(() => globalThis.document);
