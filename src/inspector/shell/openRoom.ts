import { dom } from '../../dom/dom.ts';
import type { Dock } from './preferences.ts';

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
