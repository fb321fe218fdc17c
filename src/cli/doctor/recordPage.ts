import type { TextContrast } from '../../dom/contrast.ts';

/** A script tag of offerlet. */
export interface ScriptTag {
  /** Absolute. */
  readonly src: string;
  readonly integrity: string;
  readonly crossorigin: boolean;
  /** As written: a path or a URL. */
  readonly relay: string;
  readonly mode: string;
  /** As written: a selector. */
  readonly target: string;
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

/** What the HTML of a page says about offerlet. */
export interface PageTags {
  readonly href: string;
  readonly scripts: readonly ScriptTag[];
  readonly elements: readonly { readonly relay: string; readonly mode: string }[];
  /** Whether the page contains offers that its server has prefetched. */
  readonly isPrefetched: boolean;
}

/** What happened in the page. */
export interface PageRecord extends PageTags {
  readonly reported: readonly Reported[];
  readonly violations: readonly Violation[];
  /** Layout shifts without input: when their frame began, when they were seen, and by how many pixels something moved. */
  readonly shifts: readonly { readonly from: number; readonly to: number; readonly pixels: number }[];
  /** The boxes of what the widget has placed on the page. */
  readonly boxes: readonly { readonly name: string; readonly width: number; readonly height: number }[];
  readonly contrasts: readonly TextContrast[];
  /** Targets of script tags that match nothing. */
  readonly missingTargets: readonly string[];
  /** A modal dialog of the page that is open; empty if there is none. */
  readonly dialog: string;
}

/** What the recorder leaves in its world. */
export interface Recorder {
  readonly hasOutcome: () => boolean;
  /** Returns a `PageRecord` as JSON. */
  readonly read: () => string;
}

/**
 * Runs in the page before its own scripts, in a world that they cannot reach. It is sent to the browser as text, so it uses
 * nothing from outside. A page may have any length; the recorded part is limited.
 */
export function recordPage(measure: (host: Element) => TextContrast[]): void {
  const TEXT_MAX = 1_000;
  const LIST_MAX = 100;
  const ELEMENTS_MAX = 20_000;
  const reported: Reported[] = [];
  const violations: Violation[] = [];
  const shifts: { from: number; to: number; pixels: number }[] = [];
  const cut = (text: unknown): string => (typeof text === 'string' ? text.slice(0, TEXT_MAX) : '');
  // Past DOM clobbering: `<img name="querySelectorAll">` is a property of the document in every world.
  const all = (selector: string): Element[] => {
    const found = Document.prototype.querySelectorAll.call(document, selector);
    return Array.from({ length: Math.min(found.length, ELEMENTS_MAX) }, (_, at) => found.item(at));
  };
  document.addEventListener(
    'offerlet',
    (event) => {
      const detail: unknown = (event as CustomEvent<unknown>).detail;
      if (typeof detail !== 'object' || detail === null || reported.length >= LIST_MAX) return;
      const read = detail as Record<string, unknown>;
      const texts = ['code', 'message', 'hint', 'offer_id', 'reason']
        .filter((name) => typeof read[name] === 'string')
        .map((name) => [name, cut(read[name])]);
      reported.push({ ...Object.fromEntries(texts), type: cut(read.type), at: performance.now() });
    },
    true,
  );
  document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sourceFile }) => {
    if (violations.length < LIST_MAX)
      violations.push({ directive: cut(effectiveDirective), blocked: cut(blockedURI), source: cut(sourceFile) });
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
        const isMeasured = node?.isConnected && previousRect.height > 0 && currentRect.height > 0;
        return isMeasured ? Math.abs(currentRect.top - previousRect.top) : 0;
      });
      // A busy page paints a frame long after it began.
      shifts.push({ from: entry.startTime, to: performance.now(), pixels: Math.round(Math.max(0, ...moved)) });
      if (shifts.length > ELEMENTS_MAX) shifts.shift();
    }
  }).observe({ type: 'layout-shift', buffered: true });

  function isMissing(selector: string): boolean {
    try {
      return selector !== '' && all(selector).length === 0;
    } catch {
      return true;
    }
  }

  const recorder: Recorder = {
    hasOutcome: () => reported.some(({ code }) => code !== undefined),
    read() {
      const read = (element: Element, name: string): string => cut(element.getAttribute(name));
      const tags = (all('script[src]') as HTMLScriptElement[])
        .filter(({ src }) => /\/offerlet(\.min)?\.js([?#]|$)/.test(src))
        .slice(0, LIST_MAX);
      const hosts = all('*')
        .filter((element) => element.shadowRoot?.querySelector('[part~=accept]'))
        .slice(0, LIST_MAX);
      const dialog = all('dialog:modal, [aria-modal=true]').find((element) => element.getClientRects().length > 0);
      const rendered = reported.find(({ code }) => code === 'rendered')?.at ?? 0;
      const record: PageRecord = {
        href: cut(location.href),
        scripts: tags.map((tag) => ({
          src: cut(tag.src),
          integrity: cut(tag.integrity),
          crossorigin: tag.crossOrigin !== null,
          relay: read(tag, 'data-relay'),
          mode: read(tag, 'data-display-mode'),
          target: read(tag, 'data-target'),
        })),
        elements: all('offer-let')
          .slice(0, LIST_MAX)
          .map((element) => ({ relay: read(element, 'relay'), mode: read(element, 'display-mode') })),
        reported,
        violations,
        shifts: shifts.toSorted((a, b) => Math.abs(a.to - rendered) - Math.abs(b.to - rendered)).slice(0, LIST_MAX),
        boxes: hosts.map((host) => {
          const { width, height } = host.getBoundingClientRect();
          const id = cut(host.id) || cut(host.parentElement?.id);
          return { name: id ? `#${id}` : host.localName, width: Math.round(width), height: Math.round(height) };
        }),
        contrasts: hosts.slice(0, 10).flatMap(measure),
        missingTargets: tags.map((tag) => read(tag, 'data-target')).filter(isMissing),
        isPrefetched: all('script[data-offerlet-offers]').length > 0,
        dialog: dialog ? cut(dialog.id ? `#${dialog.id}` : dialog.localName) : '',
      };
      return JSON.stringify(record);
    },
  };
  Object.assign(globalThis, { offerletDoctor: recorder });
}
