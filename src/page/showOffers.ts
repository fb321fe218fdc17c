import { dom, unclobbered } from '../dom/dom.ts';
import { checkOptions, copyOptions, nameOf, type Placement } from '../session/checkOptions.ts';
import type { ConsentScope } from '../session/consent.ts';
import { type LoadedOffers, type Prefetched, throwIfAborted } from '../session/findOffers.ts';
import { type Failure, invalid, isDeveloping, outcome, type PageEvent, openTrace } from '../session/openTrace.ts';
import { nextTask, type Attempt, openOfferSession, type OfferSession, type Shown } from '../session/offerSession.ts';
import { browserStorage } from '../session/sessionStorage.ts';
import { parseJson } from '../wire/json.ts';
import { RESPONSE_MAX_BYTES } from '../wire/limits.ts';
import { PREFETCHED_ATTRIBUTE } from '../wire/offers/prefetched.ts';
import type { Inspect, RawExchange, Offers, ShowOptions } from './showOptions.ts';
import { type MountedOffers, mountOffers, takeCard } from './mountOffers.ts';
import { reserveSpace } from './reserveSpace.ts';
import { whenActive, whenGone, whenIdle, whenNoModal, whenPainted, whenPlaced } from './whenReady.ts';

/** Milliseconds that offers wait for the file of the inspector. */
const INSPECTOR_MS = 5_000;

/** What the code that mounts offers passes to a mount. */
export interface MountContext extends ConsentScope {
  readonly inspect?: Inspect | undefined;
  /** The prefix of the attributes that the options were read from. */
  readonly prefix?: 'data-' | '' | undefined;
  /** Called when the mount was destroyed. */
  onDestroyed?(): void;
}

/** Requests offers from the merchant's relay and shows them. It never throws: `outcome` says how it ended. */
export function showOffers(given: ShowOptions, context: MountContext = {}): Offers {
  const { inspect, prefix } = context;
  const copy = copyOptions(given);
  let { options } = copy;
  let mounted: MountedOffers | undefined;
  /** Why the requested inspector did not open. */
  let missing: string | undefined;
  /** A session that the server has prefetched is used once. */
  let isUsed = false;
  /** Another mount takes the place of one that was destroyed at once, as React's StrictMode does. */
  let isNew = true;
  queueMicrotask(() => (isNew = false));
  const space = reserveSpace(findTarget);
  const trace = openTrace();
  trace.subscribe((event) => {
    if (event.type === 'dismiss') mounted?.close();
    // What stands in the HTML, and was not taken over, goes with the offers.
    if (event.type === 'dismiss' || event.type === 'outcome') removeCard();
    space.update(event);
    // The inspector can explain even a missing response.
    if (event.type === 'outcome' && trace.response?.isSandbox !== false) void look();
  });
  // Each for itself: what one of them throws, the others do not miss.
  trace.subscribe((event) => options.onEvent?.(event));
  trace.subscribe(dispatch);
  const session = openOfferSession(attempt(), {
    ...context,
    trace,
    show,
    storage: browserStorage,
    onDestroyed() {
      space.restore();
      context.onDestroyed?.();
    },
  });

  const offers: Offers = {
    outcome: trace.first,
    explain: () => session.explain(),
    flush: () => session.flush(),
    dismiss: () => session.dismiss('page'),
    destroy: () => session.destroy(),
    consent: (decision) => session.consent(decision),
  };
  // Above all when nothing comes of it: consent that is pending, a policy, a path that is wrong.
  queueMicrotask(() => void look());
  return offers;

  /** The walk of one offer on a page: its request leaves in the task in which it begins. */
  async function show(session: OfferSession, signal: AbortSignal): Promise<Shown | Failure> {
    await whenActive(signal);
    // A page that still loads may have the place later.
    if (dom.readyState === 'complete' && !isPlaced()) return noTarget();
    const found = await session.find(signal, prefetched());
    if ('code' in found) return found;
    if (found.response.sandbox) await Promise.race([look(found), nextTask(INSPECTOR_MS)]);
    throwIfAborted(signal);

    trace.waitingFor = 'page';
    await (isInline() ? whenPlaced(findTarget, signal) : whenPainted(signal));
    // What was in the page belongs to its first frames.
    if (!found.isPrefetched) await whenIdle();
    throwIfAborted(signal);
    if (!isPlaced()) return noTarget();
    const offers = found.load();
    if ('code' in offers) return offers;

    if (!isInline()) {
      trace.waitingFor = 'dialog';
      await whenNoModal(signal);
      // The shopper may have closed them in another tab meanwhile.
      const dismissed = await offers.dismissal();
      if (dismissed) return dismissed;
    }
    mounted = await mount(offers, signal);
    mounted.report(offers.reporter);
    const { count } = offers;
    return {
      offers,
      outcome: outcome('rendered', `${count} ${count === 1 ? 'offer is' : 'offers are'} on the page`, missing),
    };
  }

  /** Puts offers on the page until `signal` aborts, a layer in a task after the one that renders it. */
  async function mount({ response, groups }: LoadedOffers, signal: AbortSignal): Promise<MountedOffers> {
    throwIfAborted(signal);
    const target = findTarget();
    const offers = mountOffers({
      response,
      groups,
      options,
      locale: localeOf(options),
      target,
      signal,
      onDismiss: (by) => session.dismiss(by),
    });
    if (!isInline()) await nextTask();
    throwIfAborted(signal);
    offers.open();
    signal.addEventListener('abort', () => space.update({ type: 'dismiss', by: 'page' }));
    if (target && isInline()) stay(target, offers.place, signal);
    return offers;
  }

  /** A single-page app takes the place away without a word, and one that hydrates a page that still loads replaces it. */
  function stay(target: Element, place: Element, signal: AbortSignal): void {
    const unwatch = whenGone(target, () => {
      const next = dom.readyState !== 'complete' && typeof options.target === 'string' && findTarget();
      if (!next) return session.destroy();
      unclobbered(next).append(place);
      stay(next, place, signal);
    });
    signal.addEventListener('abort', unwatch);
  }

  function removeCard(): void {
    if (isNew) return;
    const target = findTarget();
    if (target) takeCard(target);
    // The page may still be on its way, with a card that comes too late.
    if (dom.readyState === 'loading') dom.addEventListener('DOMContentLoaded', removeCard, { once: true });
  }

  /** What the server has prefetched, for this mount or for another one. */
  function prefetched(): Prefetched {
    const mayUse = !isUsed;
    isUsed = true;
    const hasOption = 'prefetched' in options;
    return {
      find: () => (!mayUse ? [] : !hasOption ? blocks() : options.prefetched ? [options.prefetched] : []),
      isComing: () => mayUse && !hasOption && dom.readyState === 'loading',
    };
  }

  function blocks(): unknown[] {
    return [...dom.querySelectorAll(`script[${PREFETCHED_ATTRIBUTE}]`)].map(({ textContent }) => {
      const text = textContent ?? '';
      return (text.length < RESPONSE_MAX_BYTES && parseJson(text)) || text.slice(0, 9);
    });
  }

  function attempt(): Attempt {
    const placement = check();
    if (!('code' in placement)) options = { ...options, theme: placement.theme, locale: placement.locale };
    return { options, placement };
  }

  function check(): Placement | Failure {
    if (!dom.baseURI) return outcome('invalid_config', 'There is no page here', 'Call it in the browser only.');
    const checked = copy.error ?? checkOptions(options, { base: dom.baseURI, prefix });
    if ('code' in checked) return checked;
    if (checked.mode === 'INLINE' && !options.target)
      return invalid(nameOf('target', prefix), 'a selector, such as "#offers"');
    const { request, locale } = checked;
    const [language] = /^[a-z]{2,3}(?![a-z])/.exec(localeOf({ ...options, locale }).toLowerCase()) ?? [];
    return { ...checked, request: { ...request, attributes: { language, ...request.attributes } } };
  }

  function isInline(): boolean {
    return options.request.placement_details.display_mode === 'INLINE';
  }

  /** Whether the offers have somewhere to go. */
  function isPlaced(): boolean {
    return !isInline() || Boolean(findTarget()?.isConnected);
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
      `Set ${name} to the element for the offers, or its selector, on the page before it has loaded.`,
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
      if (exchange) missing = error instanceof Error ? error.message : undefined;
    }
  }

  function again(changes: Partial<ShowOptions>): void {
    options = { ...options, ...changes };
    session.again(attempt());
  }
}

/** Whether the page may have the inspector, and asks for it: on the developer's own machine, or where page or relay say sandbox. */
function mayInspect({ sandbox }: ShowOptions, exchange: RawExchange | undefined): boolean {
  return sandbox === true || ((isDeveloping() || !!exchange) && location.search.includes('offerlet=inspect'));
}

/** Returns the language of the offers and of the widget's own texts. */
function localeOf({ locale }: ShowOptions): string {
  return locale ?? (dom.documentElement.lang || navigator.language);
}
