import { dom, unclobbered } from '../dom/dom.ts';
import { type AuthorContext, copyOptions, type Placement } from '../session/checkOptions.ts';
import type { ConsentScope } from '../session/consent.ts';
import { type LoadedOffers, throwIfAborted } from '../session/findOffers.ts';
import { nextTask, openOfferSession, type OfferSession, type Shown } from '../session/offerSession.ts';
import { type Failure, isDeveloping, outcome, type PageEvent, openTrace } from '../session/openTrace.ts';
import { browserStorage } from '../session/sessionStorage.ts';
import { checkOnPage, findTarget, isInline, isPlaced, localeOf, noTarget } from './checkOnPage.ts';
import { type MountedOffers, mountOffers } from './mountOffers.ts';
import { prefetchedOnce, removeCard } from './prefetched.ts';
import { reserveSpace } from './reserveSpace.ts';
import type { Inspect, RawExchange, Mount, ShowOptions } from './showOptions.ts';
import { whenActive, whenGone, whenIdle, whenNoModal, whenPainted, whenPlaced } from './whenReady.ts';

/** Milliseconds that offers wait for the file of the inspector. */
const INSPECTOR_MS = 5_000;

/** What the code that mounts offers passes to a mount. */
export interface MountContext extends ConsentScope, AuthorContext {
  readonly inspect?: Inspect | undefined;
  /** Called when the mount was destroyed. */
  onDestroyed?(): void;
}

/** Requests offers from the merchant's relay and shows them. It never throws: `outcome` says how it ended. */
export function showOffers(given: ShowOptions, context: MountContext = {}): Mount {
  const { inspect, prefix } = context;
  const copy = copyOptions(given);
  let { options } = copy;
  let mounted: MountedOffers | undefined;
  /** Why the requested inspector did not open. */
  let missing: string | undefined;
  /** Another mount takes the place of one that was destroyed at once, as React's StrictMode does. */
  let isNew = true;
  queueMicrotask(() => (isNew = false));
  const prefetched = prefetchedOnce();
  const measure = openMeasure();
  const space = reserveSpace(find);
  const trace = openTrace();
  trace.subscribe((event) => {
    if (event.type === 'dismiss') mounted?.close();
    // What stands in the HTML, and was not taken over, goes with the offers.
    if (!isNew && (event.type === 'dismiss' || event.type === 'outcome')) removeCard(find);
    space.update(event);
  });
  // Each for itself: what one of them throws, the others do not miss.
  trace.subscribe((event) => options.onEvent?.(event));
  trace.subscribe(dispatch);
  const session = openOfferSession(check(), {
    ...context,
    trace,
    show,
    whenActive,
    storage: browserStorage,
    onDestroyed() {
      // After what listeners still hear.
      queueMicrotask(space.restore);
      context.onDestroyed?.();
    },
  });

  const mount: Mount = {
    outcome: trace.first,
    explain: () => session.explain(),
    flush: () => session.flush(),
    dismiss: () => session.dismiss('page'),
    destroy: () => session.destroy(),
    consent: (decision) => session.consent(decision),
  };
  // Above all when nothing comes of it: consent that is pending, a policy, a path that is wrong.
  queueMicrotask(() => void look());
  return mount;

  /** The walk of one offer on a page: its request leaves in the task in which it begins. */
  async function show(session: OfferSession, signal: AbortSignal): Promise<Shown | Failure> {
    // A page that still loads may have the place later.
    if (dom.readyState === 'complete' && !isPlaced(options)) return noTarget(options, prefix);
    measure('asked');
    const found = await session.find(signal, prefetched(options));
    measure('response');
    if ('code' in found) return found;
    if (found.response.sandbox) await Promise.race([look(found), nextTask(INSPECTOR_MS)]);
    throwIfAborted(signal);

    trace.waitingFor = 'page';
    await (isInline(options) ? whenPlaced(find, signal) : whenPainted(signal));
    // What was in the page belongs to its first frames.
    if (!found.isPrefetched) await whenIdle();
    throwIfAborted(signal);
    if (!isPlaced(options)) return noTarget(options, prefix);
    const offers = found.load();
    if ('code' in offers) return offers;

    if (!isInline(options)) {
      trace.waitingFor = 'dialog';
      await whenNoModal(signal);
      // The shopper may have closed them in another tab meanwhile.
      const dismissed = await offers.dismissal();
      if (dismissed) return dismissed;
    }
    mounted = await place(offers, signal);
    requestAnimationFrame(() => setTimeout(measure, 0, 'painted'));
    const { count } = offers;
    return {
      offers,
      outcome: outcome('rendered', `${count} ${count === 1 ? 'offer is' : 'offers are'} on the page`, missing),
    };
  }

  /** Puts offers on the page until `signal` aborts, a layer in a task after the one that renders it. */
  async function place({ response, groups, reporter }: LoadedOffers, signal: AbortSignal): Promise<MountedOffers> {
    throwIfAborted(signal);
    const target = find();
    const offers = mountOffers({
      response,
      groups,
      reporter,
      options,
      locale: localeOf(options),
      target,
      signal,
      onDismiss: (by) => session.dismiss(by),
    });
    if (!isInline(options)) await nextTask();
    throwIfAborted(signal);
    offers.open();
    signal.addEventListener('abort', () => signal.reason !== 'again' && space.update({ type: 'dismiss', by: 'page' }));
    if (target && isInline(options)) stay(target, offers.place, signal);
    return offers;
  }

  /** A single-page app takes the place away without a word, and one that hydrates a page that still loads replaces it. */
  function stay(target: Element, place: Element, signal: AbortSignal): void {
    const unwatch = whenGone(target, () => {
      const next = dom.readyState !== 'complete' && typeof options.target === 'string' && find();
      if (!next) return session.destroy();
      unclobbered(next).append(place);
      space.restore();
      if (trace.outcome) space.update({ type: 'outcome', ...trace.outcome });
      stay(next, place, signal);
    });
    signal.addEventListener('abort', unwatch);
  }

  function check(): Placement | Failure {
    const placement = copy.error ?? checkOnPage(options, context);
    if (!('code' in placement)) options = { ...options, ...placement.options };
    return placement;
  }

  function find(): Element | undefined {
    return findTarget(options);
  }

  function dispatch(detail: PageEvent): void {
    // Once they have left, their target reports it.
    const place = [mounted?.place, find()].find((element) => element?.isConnected);
    const event = new CustomEvent('offerlet', { bubbles: true, composed: true, detail });
    (place ? unclobbered(place) : dom).dispatchEvent(event);
  }

  async function look(exchange?: RawExchange): Promise<void> {
    try {
      if (!mayInspect(options, exchange)) return;
      await inspect?.({ mount, options, again, queue: session.queue, ...exchange });
    } catch (error) {
      // No inspector, then: the offers are shown all the same.
      if (exchange) missing = error instanceof Error ? error.message : undefined;
    }
  }

  function again(forced: ShowOptions): void {
    options = forced;
    space.restore();
    session.again(check());
  }
}

/** Whether the page may have the inspector, and asks for it: on the developer's own machine, or where page or relay say sandbox. */
function mayInspect({ sandbox }: ShowOptions, exchange: RawExchange | undefined): boolean {
  return sandbox === true || ((isDeveloping() || !!exchange) && location.search.includes('offerlet=inspect'));
}

/** Returns a function that measures a step of the walk from the one before, for the browser's own tools and field data. */
function openMeasure(): (step: string) => void {
  let start = performance.now();
  return (step) => {
    // Tests with jsdom have none.
    performance.measure?.(`offerlet:${step}`, { start });
    start = performance.now();
  };
}
