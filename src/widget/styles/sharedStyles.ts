import css from './widget.css?inline';

let shared: CSSStyleSheet | undefined;

/** Returns the one stylesheet that every shadow root adopts. It is created on first use, so that importing this module has no effect. */
export function sharedStyles(): CSSStyleSheet {
  if (!shared) {
    shared = new CSSStyleSheet();
    // Browsers without light-dark() get the light theme.
    shared.replaceSync(
      CSS.supports('color', 'light-dark(red,red)') ? css : css.replace(/light-dark\(([^,]+),[^)]+\)/g, '$1'),
    );
  }
  return shared;
}
