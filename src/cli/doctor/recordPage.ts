/** A script tag of offerlet. */
export interface ScriptTag {
  /** Absolute. */
  readonly src: string;
  readonly integrity: string;
  readonly crossorigin: boolean;
  /** As written: a path or a URL. */
  readonly relay: string;
  readonly mode: string;
}

/** What a mount has reported, as far as the doctor reads it. */
export interface Reported {
  readonly type: string;
  readonly at: number;
  readonly code?: string;
  readonly message?: string;
  readonly hint?: string;
  readonly offer_id?: string;
  readonly reason?: string;
}

/** Something that the page's policy has blocked. */
export interface Violation {
  readonly directive: string;
  readonly blocked: string;
  readonly source: string;
}

/** What happened in the page. */
export interface PageRecord {
  readonly href: string;
  readonly scripts: readonly ScriptTag[];
  readonly elements: readonly { readonly relay: string; readonly mode: string }[];
  readonly reported: readonly Reported[];
  readonly violations: readonly Violation[];
  /** Layout shifts without input: when, and by how many pixels something moved. */
  readonly shifts: readonly { readonly at: number; readonly pixels: number }[];
  /** The boxes of what the widget has placed on the page. */
  readonly boxes: readonly { readonly name: string; readonly width: number; readonly height: number }[];
  /** Whether a mount exists that has not requested anything, which is how it waits for consent. */
  readonly isWaiting: boolean;
}

interface RecordingWindow {
  offerletDoctor?: () => PageRecord;
  offerlet?: { explain?(): { asked?: unknown; outcome?: unknown }[] };
}

/** Runs in the page before its own scripts. It is sent to the browser as text, so it uses nothing from outside. */
export function recordPage(): void {
  const page = window as unknown as RecordingWindow;
  const { document: doc } = window;
  const reported: Reported[] = [];
  const violations: Violation[] = [];
  const shifts: { at: number; pixels: number }[] = [];
  doc.addEventListener(
    'offerlet',
    (event) => {
      const detail: unknown = (event as CustomEvent<unknown>).detail;
      if (typeof detail === 'object' && detail !== null)
        reported.push({ ...(detail as Reported), at: performance.now() });
    },
    true,
  );
  doc.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sourceFile }) => {
    violations.push({ directive: effectiveDirective, blocked: blockedURI, source: sourceFile });
  });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { hadRecentInput, sources } = entry as PerformanceEntry & {
        hadRecentInput: boolean;
        sources: { node: Node | null; previousRect: DOMRectReadOnly; currentRect: DOMRectReadOnly }[];
      };
      if (hadRecentInput) continue;
      const moved = sources.map(({ node, previousRect, currentRect }) => {
        // A node that was or is outside the viewport has an empty rectangle.
        const isMeasured = node && doc.contains(node) && previousRect.height > 0 && currentRect.height > 0;
        return isMeasured ? Math.abs(currentRect.top - previousRect.top) : 0;
      });
      shifts.push({ at: entry.startTime, pixels: Math.round(Math.max(0, ...moved)) });
    }
  }).observe({ type: 'layout-shift', buffered: true });

  page.offerletDoctor = () => {
    const read = (element: Element, name: string): string => element.getAttribute(name) ?? '';
    const tags = [...doc.querySelectorAll<HTMLScriptElement>('script[src]')].filter(({ src }) =>
      /\/offerlet(\.min)?\.js([?#]|$)/.test(src),
    );
    const elements = [...doc.querySelectorAll('offer-let')];
    const hosts = [...doc.querySelectorAll('*')].filter((element) =>
      element.shadowRoot?.querySelector('[part~=accept]'),
    );
    const mounts = typeof page.offerlet?.explain === 'function' ? page.offerlet.explain() : [];
    return {
      href: location.href,
      scripts: tags.map((tag) => ({
        src: tag.src,
        integrity: tag.integrity,
        crossorigin: tag.crossOrigin !== null,
        relay: read(tag, 'data-relay'),
        mode: read(tag, 'data-display-mode'),
      })),
      elements: elements.map((element) => ({ relay: read(element, 'relay'), mode: read(element, 'display-mode') })),
      reported,
      violations,
      shifts,
      boxes: hosts.map((host) => {
        const { width, height } = host.getBoundingClientRect();
        const id = host.id || host.parentElement?.id;
        return { name: id ? `#${id}` : host.localName, width: Math.round(width), height: Math.round(height) };
      }),
      isWaiting: mounts.some(({ asked, outcome }) => !asked && !outcome),
    };
  };
}
