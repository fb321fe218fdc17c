import { dom } from '../dom/dom.ts';
import type { Shift } from './checkPage.ts';
import type { MountEvent } from './mount.ts';

/** What the page has told since the inspector is here. */
export interface PageEar {
  /** When an event was heard, in milliseconds since 1970. */
  heardAt(event: MountEvent): number | undefined;
  /** What the page's policy has refused. */
  readonly refused: readonly { readonly directive: string; readonly address: string }[];
  /** What of the page has moved, on the page's own clock. */
  readonly shifts: readonly Shift[];
}

interface ShiftEntry extends PerformanceEntry {
  readonly sources: readonly {
    readonly node: Node | null;
    readonly previousRect: DOMRectReadOnly;
    readonly currentRect: DOMRectReadOnly;
  }[];
}

const HOST = 'OFFERLET-INSPECTOR';

/** Listens to the widget's events, and to what browsers tell of the page. */
export function listenToPage(onEvent: (event: MountEvent, place: Element | undefined) => void): PageEar {
  const heard = new WeakMap<MountEvent, number>();
  const refused: { directive: string; address: string }[] = [];
  const shifts: Shift[] = [];

  dom.addEventListener(
    'offerlet',
    (event) => {
      const { detail } = event as CustomEvent<MountEvent>;
      heard.set(detail, Date.now());
      onEvent(detail, event.target instanceof Element ? event.target : undefined);
    },
    { capture: true },
  );
  dom.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) => {
    refused.push({ directive: effectiveDirective, address: blockedURI });
  });
  if (PerformanceObserver.supportedEntryTypes.includes('layout-shift')) {
    new PerformanceObserver((list) => {
      for (const { startTime, sources } of list.getEntries() as ShiftEntry[]) {
        // What lies in a shadow root, as the inspector itself does, is not the page's.
        const moved = sources.filter(({ node }) => node && dom.contains(node) && node.nodeName !== HOST);
        const pixels = Math.max(0, ...moved.map(movedBy));
        if (pixels > 0) shifts.push({ at: startTime, pixels });
      }
    }).observe({ type: 'layout-shift', buffered: true });
  }
  return { heardAt: (event) => heard.get(event), refused, shifts };
}

function movedBy({ previousRect, currentRect }: ShiftEntry['sources'][number]): number {
  // What was or is out of sight has an empty rectangle.
  if (previousRect.height === 0 || currentRect.height === 0) return 0;
  return Math.abs(currentRect.top - previousRect.top);
}
