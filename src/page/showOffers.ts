import { dom, unclobbered } from '../dom/dom.ts';
import { checkOptions, copyOptions, nameOf, type Placement, unreadable } from '../session/checkOptions.ts';
import type { Consent } from '../session/consent.ts';
import { type Failure, invalid, outcome, type PageEvent } from '../session/events.ts';
import { nextTask } from '../session/nextTask.ts';
import { firstOffers, type ObtainedOffers, peekOffers, throwIfAborted } from '../session/obtainOffers.ts';
import { type Attempt, openOfferSession, type State } from '../session/offerSession.ts';
import { openTrace } from '../session/openTrace.ts';
import { browserStorage } from '../session/sessionStorage.ts';
import { parseJson } from '../wire/json.ts';
import { RESPONSE_MAX_BYTES } from '../wire/limits.ts';
import { mismatchOf, PREFETCHED_ATTRIBUTE } from '../wire/offers/prefetched.ts';
import { reasonOf } from '../wire/errors.ts';
import type { Inspect, RawExchange } from './inspection.ts';
import { type MountedOffers, mountOffers } from './mountOffers.ts';
import { hasModal, nextPaint, whenGone, whenNoModal, whenReady } from './readiness.ts';
import type { Offers, ShowOptions } from './showOptions.ts';

/** What the code that mounts offers passes to a mount. */
export interface MountContext {
  readonly inspect?: Inspect | undefined;
  /** The consent of the page that the mount belongs to. */
  readonly page?: Consent | undefined;
  /** The shopper has said no to an earlier mount of the same element. */
  readonly isDenied?: boolean | undefined;
  /** The prefix of the attributes that the options were read from. */
  readonly prefix?: 'data-' | '' | undefined;
  /** Called when the mount was destroyed. */
  onDestroyed?(): void;
}

/** The state of a step that the page takes part in. */
type Step<Name extends State['name']> = Extract<State<'rendered'>, { name: Name }>;

/** What is shown of a response. */
type Found = Pick<ObtainedOffers, 'response' | 'groups'>;

/** Requests offers from the merchant's relay and shows them. It never throws: `outcome` says how it ended. */
export function showOffers(given: ShowOptions, context: MountContext = {}): Offers {
  const { inspect, page, isDenied, prefix } = context;
  const copy = copyOptions(given);
  let { options } = copy;
  let placement: Placement | undefined;
  let mounted: MountedOffers | undefined;
  /** Offers that were painted before it is known whether they count. */
  let preview: MountedOffers | undefined;
  /** Why the inspector that the page asked for did not open. */
  let missing: string | undefined;
  let stopWatching: (() => void) | undefined;
  /** What the server has prefetched was used, or was not. */
  let isUsed = false;
  const space = reserveSpace(findTarget);
  const trace = openTrace();
  trace.subscribe((event) => {
    space.update(event);
    if (typeof options.onEvent === 'function') callBack(event);
    dispatch(event);
    // Without a response, too, the inspector can explain.
    if (event.type === 'outcome' && trace.response?.isSandbox !== false) void look();
  });
  const session = openOfferSession(attempt(), { trace, storage: browserStorage, page, isDenied });
  session.subscribe((state) => {
    if (state.name === 'preparing') void prepare(state);
    else if (state.name === 'received') void receive(state);
    else if (state.name === 'presenting') void present(state);
    else if (state.name === 'dismissed') mounted?.close();
    else if (state.name === 'destroyed') {
      space.restore();
      context.onDestroyed?.();
    }
  });

  const offers: Offers = {
    outcome: trace.first,
    explain: () => session.explain(),
    flush: () => session.flush(),
    dismiss: () => session.dismiss('page'),
    destroy: () => session.destroy(),
    consent: (decision) => session.consent(decision),
  };
  return offers;

  async function prepare({ signal, next, fail }: Step<'preparing'>): Promise<void> {
    preview = undefined;
    let prefetched = findPrefetched();
    await whenReady(mayUse(prefetched) && isInline() && findTarget() ? 'active' : 'parsed');
    // A server that streams its page sends the block last.
    if (!mayUse(prefetched)) prefetched = findPrefetched();
    if (!mayUse(prefetched)) {
      await whenReady('idle');
      prefetched = findPrefetched();
    }
    if (signal.aborted) return;
    if (isInline() && !findTarget()?.isConnected) return fail(noTarget());
    // A session is used once.
    isUsed = true;
    if (prefetched && !mayInspect(options, { body: {}, json: prefetched })) {
      const peek = (): Found | undefined => placement && peekOffers(prefetched, placement, browserStorage);
      await paint(peek, signal);
    }
    next(prefetched);
  }

  /** Paints offers before anything is stored or counted. */
  async function paint(find: () => Found | undefined, signal: AbortSignal): Promise<void> {
    try {
      const found = (isInline() || !hasModal()) && find();
      if (!found || !found.groups[0]) return;
      preview = await mount(found, signal);
      await nextPaint();
    } catch {
      // It is tried again when they count, and what is wrong is said then.
    }
  }

  /** Returns what the server has prefetched for this mount, or for another one. */
  function findPrefetched(): unknown {
    if (isUsed) return undefined;
    if ('prefetched' in options) return options.prefetched;
    const blocks = [...dom.querySelectorAll(`script[${PREFETCHED_ATTRIBUTE}]`)].map(({ textContent }) => {
      const text = textContent ?? '';
      return (text.length < RESPONSE_MAX_BYTES && parseJson(text)) || text.slice(0, 9);
    });
    return blocks.find(mayUse) ?? blocks[0];
  }

  function mayUse(prefetched: unknown): boolean {
    return !!prefetched && !mismatchOf(prefetched, options.request);
  }

  async function receive({ found, signal, next }: Step<'received'>): Promise<void> {
    const { response } = found;
    if (response.sandbox) await look(found);
    const find = (): Found => ({ response, groups: firstOffers(response.groups, placement?.maxOffers) });
    if (!preview) await paint(find, signal);
    next();
  }

  async function present({ offers, signal, next, fail }: Step<'presenting'>): Promise<void> {
    try {
      const isSame = preview?.session_id === offers.response.session_id && preview.place.isConnected;
      // The device remembers another session of the order, or the page has replaced the place.
      if (!isSame) preview?.end();
      const early = isSame ? preview : undefined;
      const hasWaited = !early && !isInline() && (await whenNoModal(signal));
      // The shopper may have closed them in another tab meanwhile.
      const dismissed = await offers.dismissal(hasWaited);
      const target = findTarget();
      if (signal.aborted) return;
      if (dismissed) return fail(dismissed);
      if (isInline() && !target?.isConnected) return fail(noTarget());
      mounted = early ?? (await mount(offers, signal));
      if (signal.aborted) return;
      signal.addEventListener('abort', () => space.update({ type: 'dismiss', by: 'page' }));
      // A single-page app takes the place away without a word.
      if (target && isInline()) leaveWith(target, signal);
      const { count, reporter } = offers;
      next(outcome('rendered', `${count} ${count === 1 ? 'offer is' : 'offers are'} on the page`, missing));
      mounted.report(reporter);
    } catch (error) {
      fail(outcome('network_error', `The offers could not be shown (${reasonOf(error)})`, 'Please report this.'));
    }
  }

  /** Puts offers on the page, a layer in a task after the one that renders it. */
  async function mount({ response, groups }: Found, signal: AbortSignal): Promise<MountedOffers> {
    throwIfAborted(signal);
    const offers = mountOffers({
      response,
      groups,
      options,
      locale: localeOf(options),
      target: findTarget(),
      signal,
      onDismiss: (by) => session.dismiss(by),
    });
    if (!isInline()) await nextTask();
    if (!signal.aborted) offers.open();
    return offers;
  }

  function leaveWith(target: Element, signal: AbortSignal): void {
    stopWatching?.();
    stopWatching = whenGone(target, () => session.destroy());
    signal.addEventListener('abort', stopWatching);
  }

  function attempt(): Attempt {
    if (!dom.baseURI) {
      const placement = outcome('invalid_config', 'There is no page here', 'Call showOffers in the browser only.');
      return { options, placement };
    }
    const checked = copy.isReadable ? checkOptions(options, { base: dom.baseURI, prefix }) : unreadable();
    if ('code' in checked) return { options, placement: checked };
    options = { ...options, theme: checked.theme, locale: checked.locale };
    if (checked.mode === 'INLINE' && !options.target)
      return { options, placement: invalid(nameOf('target', prefix), 'a selector, such as "#offers"') };
    const { request } = checked;
    const [language] = /^[a-z]{2,3}(?![a-z])/.exec(localeOf(options).toLowerCase()) ?? [];
    placement = { ...checked, request: { ...request, attributes: { language, ...request.attributes } } };
    return { options, placement };
  }

  function isInline(): boolean {
    return options.request.placement_details.display_mode === 'INLINE';
  }

  function findTarget(): Element | undefined {
    try {
      const { target } = options;
      return (typeof target === 'string' ? dom.querySelector(target) : target) ?? undefined;
    } catch {
      return undefined;
    }
  }

  function noTarget(): Failure {
    const { target } = options;
    const name = nameOf('target', prefix);
    return outcome(
      'invalid_config',
      typeof target === 'string' ? `"${target}" matches nothing on this page` : `${name} is not on this page`,
      `Set ${name} to the element for the offers, or its selector, and have it on the page before it has loaded.`,
    );
  }

  function callBack(event: PageEvent): void {
    options.onEvent?.(event);
  }

  function dispatch(detail: PageEvent): void {
    const found = mounted?.place ?? findTarget();
    const place = found?.isConnected ? found : dom;
    // Missing on a server.
    (place as Partial<EventTarget>).dispatchEvent?.(
      new CustomEvent('offerlet', { bubbles: true, composed: true, detail }),
    );
  }

  async function look(exchange?: RawExchange): Promise<void> {
    try {
      if (!mayInspect(options, exchange)) return;
      await inspect?.({ offers, options, again, reopen: () => session.reopenQueue(), ...exchange });
    } catch (error) {
      // No inspector, then: the offers are shown all the same.
      missing = error instanceof Error ? error.message : undefined;
    }
  }

  function again(changes: Partial<ShowOptions>): void {
    options = { ...options, ...changes };
    session.restart(attempt());
  }
}

/**
 * Whether the page asks for the inspector and may have it: the relay says sandbox, or has said so in this tab before, so
 * that the inspector can explain why there are no offers now.
 */
function mayInspect(options: ShowOptions | undefined, exchange: RawExchange | undefined): unknown {
  return (
    (options?.sandbox || location.search.includes('offerlet=inspect')) &&
    (exchange || sessionStorage.getItem('offerlet-inspector'))
  );
}

/** Returns the language of the offers and of the widget's own texts. */
function localeOf({ locale }: ShowOptions): string {
  return locale ?? (dom.documentElement.lang || navigator.language);
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
function reserveSpace(find: () => Element | undefined): ReservedSpace {
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
