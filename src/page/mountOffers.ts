import { dom, unclobbered } from '../dom/dom.ts';
import type { Reporter } from '../session/createReporter.ts';
import type { DismissEvent, PageEvent } from '../session/openTrace.ts';
import type { ObtainedOffers } from '../session/obtainOffers.ts';
import { createLayerHost } from '../widget/openLayer.ts';
import { messagesFor } from '../widget/messages.ts';
import { mountWidget, type MountedWidget } from '../widget/mountWidget.tsx';
import type { Viewable } from '../widget/props.ts';
import { watchSeen } from './watchSeen.ts';
import type { ShowOptions } from './showOptions.ts';

/** Offers, and where and how to show them. */
interface MountOptions extends Pick<ObtainedOffers, 'response' | 'groups'> {
  readonly options: ShowOptions;
  readonly locale: string;
  readonly target: Element | undefined;
  readonly signal: AbortSignal;
  /** Called when the shopper closes the offers. */
  onDismiss(by: DismissEvent['by']): void;
}

/** Offers on the page. Nothing is reported of them before `report`. */
export interface MountedOffers {
  readonly session_id: string;
  /** The element that their DOM events start at. */
  readonly place: Element;
  /** Opens the layer, in a task after the one that rendered it. */
  open(): void;
  /** Reports what was seen and done so far, and what will be. */
  report(reporter: Reporter): void;
  /** Closes the offers. A layer fades out. */
  close(): void;
  /** Takes the offers off the page at once. */
  end(): void;
}

/** What of the offers an element shows. */
type Parts = Partial<Pick<Extract<Viewable, { kind: 'product' }>, 'offer' | 'asset'>>;

/** Puts offers on the page until they are closed or `signal` aborts. */
export function mountOffers({
  options,
  locale,
  response,
  groups,
  target,
  signal,
  onDismiss,
}: MountOptions): MountedOffers {
  const mode = options.request.placement_details.display_mode;
  const element = target instanceof HTMLElement && target.localName === 'offer-let' ? target : undefined;
  const host = mode === 'INLINE' ? (element ?? dom.createElement('div')) : createLayerHost();
  if (!host.isConnected && target) unclobbered(target).append(host);
  const watcher = watchSeen();
  let widget: MountedWidget | undefined;
  let reporter: Reporter | undefined;
  const early: ((reporter: Reporter) => void)[] = [];

  try {
    widget = mountWidget(host, {
      mode,
      groups,
      footer: response.footer,
      sandbox: response.sandbox,
      theme: options.theme ?? 'auto',
      locale,
      messages: messagesFor(locale, options.messages),
      watch(viewable, seen) {
        const { offer, asset }: Parts = viewable.kind === 'widget' ? {} : viewable;
        const name = [viewable.kind, offer?.insertion_id, asset?.id].join(' ');
        watcher.watch(name, seen, (what) => tell((to) => to.seen(what, offer, asset)));
      },
      on: (action) => tell((to) => (action.type === 'dismiss' ? onDismiss(action.by) : to.acted(action))),
    });
  } catch (error) {
    end();
    throw error;
  }
  signal.addEventListener('abort', end);
  return { session_id: response.session_id, place: element ?? host, open, report, close, end };

  function tell(work: (reporter: Reporter) => void): void {
    if (reporter) work(reporter);
    else early.push(work);
  }

  function report(to: Reporter): void {
    reporter = to;
    for (const work of early.splice(0)) work(to);
  }

  function open(): void {
    try {
      widget?.open();
    } catch (error) {
      // The page must not stay locked behind a layer that did not open.
      end();
      throw error;
    }
  }

  function close(): void {
    watcher.close();
    void widget?.close().then(end);
  }

  function end(): void {
    signal.removeEventListener('abort', end);
    watcher.close();
    widget?.unmount();
    if (host !== element) host.remove();
  }
}

/** Milliseconds in which reserved space closes up in view. */
const COLLAPSE_MS = 200;
/** Milliseconds without input after which empty space closes up in view: nobody is about to click what moves. */
const IDLE_MS = 4000;
/** Input that says that the shopper is doing something on the page. */
const INPUT = ['pointermove', 'pointerdown', 'keydown', 'scroll'];

/** The space that the merchant's element reserves for the offers of one mount. */
interface ReservedSpace {
  /** Keeps the element's `data-offerlet` up to date, and releases the space that is not filled. */
  update(event: PageEvent): void;
  /** Leaves the element as it was. */
  restore(): void;
}

/**
 * Marks the element with `data-offerlet="rendered"`, `"empty"` or `"closed"`. Reserved space (`min-block-size`) that the
 * offers do not fill collapses at once when the shopper closes them, otherwise as soon as nobody sees it: nothing visible
 * moves. What holds no offers collapses in view once the shopper has been idle.
 */
export function reserveSpace(find: () => Element | undefined): ReservedSpace {
  let held: string | undefined;
  let undo = (): void => {};

  function mark(element: Element, state: string, isShopper: boolean): void {
    undo();
    const place = unclobbered(element);
    const height = getComputedStyle(element).blockSize;
    let animation: Animation | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const observer = new IntersectionObserver(([entry]) => {
      if (!entry || entry.isIntersecting) return;
      // Above the view, the browser must hold in place what is visible: not every browser does.
      if (entry.boundingClientRect.top > 0 || CSS.supports('overflow-anchor:auto')) collapse(0);
    });

    place.setAttribute('data-offerlet', state);
    if (isShopper) collapseInView();
    else {
      observer.observe(element);
      if (state !== 'rendered') {
        for (const type of INPUT) dom.addEventListener(type, waitUntilIdle, true);
        dom.addEventListener('visibilitychange', collapseUnseen);
        waitUntilIdle();
      }
    }
    undo = () => {
      stop();
      animation?.cancel();
      place.removeAttribute('data-offerlet');
    };

    function waitUntilIdle(): void {
      clearTimeout(timer);
      timer = setTimeout(collapseInView, IDLE_MS);
    }

    function collapseUnseen(): void {
      if (dom.visibilityState === 'hidden') collapse(0);
    }

    function collapseInView(): void {
      collapse(matchMedia('(prefers-reduced-motion:reduce)').matches ? 0 : COLLAPSE_MS);
    }

    /** An animation overrides the merchant's rule without touching the element's attributes. */
    function collapse(duration: number): void {
      stop();
      animation = place.animate({ minBlockSize: [height, '0px'] }, { duration, easing: 'ease', fill: 'forwards' });
    }

    function stop(): void {
      clearTimeout(timer);
      observer.disconnect();
      for (const type of INPUT) dom.removeEventListener(type, waitUntilIdle, true);
      dom.removeEventListener('visibilitychange', collapseUnseen);
    }
  }

  return {
    restore() {
      held = undefined;
      undo();
    },
    update(event) {
      const isClosed = event.type === 'dismiss';
      const element = (isClosed || event.type === 'outcome') && find();
      const isRendered = event.type === 'outcome' && event.code === 'rendered';
      // What ends after it was closed stays closed.
      const state = isRendered ? 'rendered' : isClosed || held === 'closed' ? 'closed' : 'empty';
      if (element && state !== held) mark(element, (held = state), isClosed && event.by !== 'page');
    },
  };
}
