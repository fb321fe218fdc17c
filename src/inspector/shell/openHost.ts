import { dom } from '../../dom/dom.ts';
import css from './inspector.css?inline';

/** The element that holds the inspector. */
export interface Host {
  readonly root: ShadowRoot;
  /** Moves the inspector above what has opened since, such as a dialog of the widget. */
  stayOnTop(): void;
}

/**
 * Adds the inspector's element to the browser's top layer. A modal dialog makes everything else inert, so while the
 * widget has one open, the element is inside it: as a popover it takes no space there, and clicks on it are not clicks on
 * the dialog. `onLayers` is called when a layer may have opened.
 */
export function openHost(onLayers: () => void): Host {
  const host = dom.createElement('offerlet-inspector');
  host.setAttribute('data-react-aria-top-layer', 'true');
  host.popover = 'manual';
  const root = host.attachShadow({ mode: 'open' });
  const styles = new CSSStyleSheet();
  styles.replaceSync(css);
  root.adoptedStyleSheets = [styles];
  let layers = -1;

  function stayOnTop(): void {
    onLayers();
    const parent = openDialog() ?? dom.documentElement;
    const layersNow = dom.querySelectorAll('offer-let-layer').length;
    if (host.parentNode === parent && layersNow === layers) return;
    layers = layersNow;
    const focused = root.activeElement;
    const scrolled = [...root.querySelectorAll('[data-scrolls]')].map((box) => [box, box.scrollTop] as const);
    if (host.parentNode !== parent) parent.append(host);
    // A popover that is shown again is above everything that has opened since.
    if (host.matches(':popover-open')) host.hidePopover();
    host.showPopover?.();
    for (const [box, top] of scrolled) box.scrollTop = top;
    if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  }

  // The widget's layers are children of the document element. A layer that is removed takes the inspector with it.
  new MutationObserver(stayOnTop).observe(dom.documentElement, { childList: true });
  stayOnTop();
  return { root, stayOnTop };
}

function openDialog(): Element | undefined {
  return [...dom.querySelectorAll('offer-let-layer')]
    .flatMap((layer) => layer.shadowRoot?.querySelector('dialog:modal') ?? [])
    .at(-1);
}
