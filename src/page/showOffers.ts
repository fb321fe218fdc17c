import { dom, isPainted, unclobbered } from '../dom/dom.ts';
import { checkOptions, copyOptions, nameOf, type Placement } from '../session/checkOptions.ts';
import type { Consent } from '../session/consent.ts';
import { type Failure, invalid, outcome, type PageEvent, openTrace } from '../session/openTrace.ts';
import { nextTask, type Attempt, openOfferSession, type State } from '../session/offerSession.ts';
import { firstOffers, type ObtainedOffers, peekOffers, throwIfAborted } from '../session/obtainOffers.ts';
import { browserStorage } from '../session/sessionStorage.ts';
import { parseJson } from '../wire/json.ts';
import { RESPONSE_MAX_BYTES } from '../wire/limits.ts';
import { mismatchOf, PREFETCHED_ATTRIBUTE } from '../wire/offers/prefetched.ts';
import { reasonOf } from '../wire/errors.ts';
import type { Inspect, RawExchange, Offers, ShowOptions } from './showOptions.ts';
import { type MountedOffers, mountOffers, reserveSpace } from './mountOffers.ts';

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
  /** Why the requested inspector did not open. */
  let missing: string | undefined;
  let stopWatching: (() => void) | undefined;
  /** What the server has prefetched was used, or was not. */
  let isUsed = false;
  const space = reserveSpace(findTarget);
  const trace = openTrace();
  trace.subscribe((event) => {
    space.update(event);
    if (typeof options.onEvent === 'function') options.onEvent(event);
    dispatch(event);
    // The inspector can explain even a missing response.
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
    const checked = copy.error ?? checkOptions(options, { base: dom.baseURI, prefix });
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

/**
 * Resolves once the page is active (not prerendering), loaded and idle. Offers that are at hand need not wait so long: until the
 * page is parsed, or, if their place is there, not at all.
 */
async function whenReady(until: 'active' | 'parsed' | 'idle'): Promise<void> {
  if ((dom as { prerendering?: boolean }).prerendering) await next(dom, 'prerenderingchange');
  if (until === 'parsed' && dom.readyState === 'loading') await next(dom, 'DOMContentLoaded');
  if (until !== 'idle') return;
  if (dom.readyState !== 'complete') await next(window, 'load');
  // Safari has no requestIdleCallback: there, the name finds an element with that id.
  await new Promise<unknown>((resolve) =>
    typeof requestIdleCallback === 'function'
      ? requestIdleCallback(resolve, { timeout: 1_000 })
      : setTimeout(resolve, 1),
  );
}

function next(target: EventTarget, type: string): Promise<unknown> {
  return new Promise((resolve) => target.addEventListener(type, resolve, { once: true }));
}

/** Milliseconds after which nothing is expected to be painted: in a background tab, or a frame that is out of view. */
const PAINT_MS = 250;

/** Resolves in a task after the next paint. */
function nextPaint(): Promise<void> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, dom.visibilityState === 'hidden' ? 0 : PAINT_MS);
  });
}

/** Milliseconds between polls: pages close modals by class, style, attribute or removal, and no observer reports all of them. */
const POLL_MS = 250;
/** The page's modals, whatever is in fullscreen, and our other layers. `:is` ignores selectors that a browser does not know. */
const MODALS = ':is(:modal,[aria-modal=true],offer-let-layer)';

/**
 * Resolves once the page has no open modal. A single Esc would close both the modal and a layer that opened over it by
 * itself, and that layer would take the focus from a dialog of the page. Returns whether there was one.
 */
async function whenNoModal(signal: AbortSignal): Promise<boolean> {
  let hasWaited = false;
  for (; !signal.aborted && hasModal(); hasWaited = true) await nextTask(POLL_MS);
  return hasWaited;
}

/** Whether the page has an open modal. */
function hasModal(): boolean {
  return [...dom.querySelectorAll(MODALS)].some(
    (element) => unclobbered(element).getClientRects().length > 0 && isPainted(element),
  );
}

/**
 * Calls back once a node has left the document, as it does when a single-page app replaces its body. A node that is only moved
 * is back by then. Returns a function that stops watching.
 */
export function whenGone(node: Node, callBack: () => void): () => void {
  const observer = new MutationObserver(() => {
    if (node.isConnected) return;
    observer.disconnect();
    callBack();
  });
  observer.observe(dom.documentElement, { childList: true, subtree: true });
  return () => observer.disconnect();
}
