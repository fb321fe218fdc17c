import { dom } from '../../dom/dom.ts';
import type { PageEvent } from '../../session/events.ts';

/** Something that the page's Content-Security-Policy blocked. */
export interface Violation {
  readonly directive: string;
  readonly url: string;
}

/** A movement of something on the page. */
export interface Shift {
  /** By `performance.now()`. */
  readonly at: number;
  readonly pixels: number;
}

/** What has happened on the page since the inspector was opened. */
export interface PageObserver {
  /** Returns when an event was emitted, in milliseconds since 1970. */
  receivedAt(event: PageEvent): number | undefined;
  readonly refused: readonly Violation[];
  readonly shifts: readonly Shift[];
}

interface LayoutShift extends PerformanceEntry {
  readonly sources: readonly {
    readonly node: Node | null;
    readonly previousRect: DOMRectReadOnly;
    readonly currentRect: DOMRectReadOnly;
  }[];
}

const INSPECTOR = 'OFFERLET-INSPECTOR';
/** Maximum violations and shifts kept: a page that stays open for days must not fill the memory. */
const KEPT_MAX = 200;

/** Listens to the widget's events, and to what the browser reports about the page. */
export function observePage(onEvent: (event: PageEvent, host: Element | undefined) => void): PageObserver {
  const times = new WeakMap<PageEvent, number>();
  const refused: Violation[] = [];
  const shifts: Shift[] = [];

  dom.addEventListener(
    'offerlet',
    (event) => {
      const { detail } = event as CustomEvent<PageEvent>;
      times.set(detail, Date.now());
      onEvent(detail, event.target instanceof Element ? event.target : undefined);
    },
    { capture: true },
  );
  dom.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) => {
    keep(refused, { directive: effectiveDirective, url: blockedURI });
  });
  if (PerformanceObserver.supportedEntryTypes.includes('layout-shift')) {
    new PerformanceObserver((list) => {
      for (const { startTime, sources } of list.getEntries() as LayoutShift[]) {
        // Nodes in shadow roots, such as the inspector's own, are not part of the page.
        const moved = sources.filter(({ node }) => node && dom.contains(node) && node.nodeName !== INSPECTOR);
        const pixels = Math.max(0, ...moved.map(distanceOf));
        if (pixels > 0) keep(shifts, { at: startTime, pixels });
      }
    }).observe({ type: 'layout-shift', buffered: true });
  }
  return { receivedAt: (event) => times.get(event), refused, shifts };
}

function keep<T>(list: T[], item: T): void {
  list.push(item);
  if (list.length > KEPT_MAX) list.shift();
}

function distanceOf({ previousRect, currentRect }: LayoutShift['sources'][number]): number {
  // A node that was or is outside the viewport has an empty rectangle.
  if (previousRect.height === 0 || currentRect.height === 0) return 0;
  return Math.abs(currentRect.top - previousRect.top);
}
