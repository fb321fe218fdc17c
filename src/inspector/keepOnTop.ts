import { dom } from '../dom/dom.ts';

/** What holds the inspector on top of the page, whatever opens there. */
export interface OnTop {
  readonly host: HTMLElement;
  /** Looks whether something has opened or closed, and moves. */
  settle(): void;
}

/**
 * Puts the inspector's host into the browser's top layer. A modal dialog makes all else inert, so while the widget
 * has one open the host stands in it: as a popover it takes no room there, and clicks on it are none on the dialog.
 */
export function keepOnTop(): OnTop {
  const host = dom.createElement('offerlet-inspector');
  host.setAttribute('data-react-aria-top-layer', 'true');
  host.popover = 'manual';
  let layers = -1;

  function settle(): void {
    const home = modalLayer() ?? dom.documentElement;
    const now = dom.querySelectorAll('offer-let-layer').length;
    if (host.parentNode === home && now === layers) return;
    layers = now;
    const root = host.shadowRoot;
    const focused = root?.activeElement;
    const scrolled = [...(root?.querySelectorAll('[data-scrolls]') ?? [])].map((box) => [box, box.scrollTop] as const);
    if (host.parentNode !== home) home.append(host);
    // Once more, so that it is above what has opened since.
    if (host.matches(':popover-open')) host.hidePopover();
    host.showPopover?.();
    for (const [box, top] of scrolled) box.scrollTop = top;
    if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  }

  // The widget's layers hang on the document element; the one that is taken away takes us along.
  new MutationObserver(settle).observe(dom.documentElement, { childList: true });
  settle();
  return { host, settle };
}

function modalLayer(): Element | undefined {
  return [...dom.querySelectorAll('offer-let-layer')]
    .flatMap((layer) => layer.shadowRoot?.querySelector('dialog:modal') ?? [])
    .at(-1);
}
