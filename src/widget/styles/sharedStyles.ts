import css from './widget.css?inline';

let shared: CSSStyleSheet | undefined;

/** The one stylesheet that every shadow root adopts; made when the first widget is shown, so that importing touches nothing. */
export function sharedStyles(): CSSStyleSheet {
  if (!shared) {
    shared = new CSSStyleSheet();
    // Browsers from before light-dark() stay light.
    shared.replaceSync(
      CSS.supports('color', 'light-dark(red,red)') ? css : css.replace(/light-dark\(([^,]+),[^)]+\)/g, '$1'),
    );
  }
  return shared;
}
