import css from './inspector.css?inline';
import { dom } from '../../dom/dom.ts';
import type { Dock } from '../preferences.ts';

/** The element that holds the inspector. */
export interface InspectorHost {
  readonly root: ShadowRoot;
  /** Moves the inspector above what has opened since, such as a dialog of the widget. */
  stayOnTop(): void;
}

/**
 * Adds the inspector's element to the browser's top layer. A modal dialog makes everything else inert, so while the
 * widget has one open, the element is inside it: as a popover it takes no space there, and clicks on it are not clicks on
 * the dialog. `onLayers` is called when a layer may have opened.
 */
export function openHost(onLayers: () => void): InspectorHost {
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

/** Makes room for the open inspector beside, or below, the page and the widget's layers. */
export interface Room {
  /** Reserves the room of a dock; of none, gives it back. */
  reserve(dock: Dock | undefined): void;
  /** Moves layers that have opened since out of the inspector's way. */
  moveLayers(): void;
}

/** The inspector's size with its margins. The style sheet has the same numbers. */
const WIDTH = '404px';
const HEIGHT = 'calc(min(46vh, 420px) + 16px)';

/** Style sheets, not attributes: the page's own elements stay as they are, and strict CSPs allow it. */
export function openRoom(): Room {
  const ofPage = new CSSStyleSheet();
  const ofLayers = new CSSStyleSheet();
  let reserved: Dock | undefined;
  dom.adoptedStyleSheets = [...dom.adoptedStyleSheets, ofPage];

  return {
    reserve(dock) {
      if (dock === reserved) return;
      reserved = dock;
      ofPage.replaceSync(roomFor(dock, (side, size) => `html{margin-${side}:${size}!important}`));
      ofLayers.replaceSync(
        roomFor(dock, (side, size) => {
          const extent = side === 'bottom' ? 'max-height' : 'max-width';
          // The close button of a full screen is fixed to the window, not to its layer.
          const close = `.fullscreen [part=close]{margin-${side}:${size}!important}`;
          return `.layer{${side}:${size}!important;${extent}:calc(100% - ${size})!important}${close}`;
        }),
      );
    },
    moveLayers() {
      for (const { shadowRoot } of dom.querySelectorAll('offer-let-layer')) {
        if (shadowRoot && !shadowRoot.adoptedStyleSheets.includes(ofLayers))
          shadowRoot.adoptedStyleSheets = [...shadowRoot.adoptedStyleSheets, ofLayers];
      }
    },
  };
}

function roomFor(dock: Dock | undefined, rule: (side: Dock, size: string) => string): string {
  if (!dock) return '';
  const below = rule('bottom', HEIGHT);
  // A narrow page has the inspector below it, wherever it is docked.
  return dock === 'bottom' ? below : `@media (width<700px){${below}}@media (width>=700px){${rule(dock, WIDTH)}}`;
}
