import { dom } from '../dom/dom.ts';
import { checkOptions, invalid } from '../session/checkOptions.ts';
import { nextTask } from '../session/nextTask.ts';
import type { ObtainedOffers, RawExchange } from '../session/obtainOffers.ts';
import { browserBacking } from '../session/browserBacking.ts';
import { openLifecycle, type Lifecycle, type LifecycleSubject } from '../session/openLifecycle.ts';
import { openTrace } from '../session/openTrace.ts';
import { outcome, type Outcome } from '../session/outcome.ts';
import type { PageEvent } from '../session/pageEvent.ts';
import { mayInspect, type Inspect } from './inspection.ts';
import { mountOffers, type MountedOffers } from './mountOffers.ts';
import type { Offers } from './offers.ts';
import { openPlace } from './openPlace.ts';
import type { ShowOptions } from './options/showOptions.ts';
import { whenNoModal } from './ready/whenNoModal.ts';
import { whenReady } from './ready/whenReady.ts';
import { throwIfAborted } from '../session/throwIfAborted.ts';

/** What a mount gets from the page API that it belongs to. */
export interface PageContext {
  readonly inspect?: Inspect | undefined;
  /** The shopper has already decided for the whole page, so a no of this mount says nothing about what is stored. */
  readonly isDecided?: boolean | undefined;
  /** Called when consent was withdrawn in another tab, or by another mount. */
  onWithdrawn?(): void;
}

/** Requests offers from the merchant's relay and shows them. It never throws: `outcome` says how it ended. */
export function showOffers(options: ShowOptions, { inspect, ...context }: PageContext = {}): Offers {
  let mounted: MountedOffers | undefined;
  /** Why the inspector that the page asked for did not open. */
  let missing: string | undefined;
  const place = openPlace(findTarget);
  const trace = openTrace(place.follow, callBack, dispatch, (event) => {
    // Without a response, too, the inspector can explain.
    if ('code' in event && trace.explain().answered?.isSandbox !== false) void look();
  });
  const session: Lifecycle = openLifecycle(subject(), {
    ...context,
    trace,
    backing: browserBacking,
    async whenReady() {
      await whenReady();
      return findTarget() || !isInline() ? undefined : invalid('target', 'a selector of an element on the loaded page');
    },
    inspect: look,
    present,
  });
  const offers: Offers = {
    get outcome() {
      return trace.ended;
    },
    explain: trace.explain,
    flush: session.flush,
    close: () => mounted?.dismiss('page'),
    destroy() {
      session.close();
      place.restore();
    },
    consent: session.consent,
  };
  return offers;

  async function present(obtained: ObtainedOffers, signal: AbortSignal): Promise<Outcome> {
    await nextTask();
    if (!isInline()) await whenNoModal(signal);
    // The shopper may have closed them in another tab meanwhile.
    const dismissed = await obtained.dismissal();
    throwIfAborted(signal);
    if (dismissed) return dismissed;
    mounted = mountOffers({ ...obtained, options, target: findTarget(), signal });
    await nextTask();
    throwIfAborted(signal);
    mounted.open();
    signal.addEventListener('abort', () => place.follow({ type: 'dismiss', by: 'page' }));
    const { count } = obtained;
    return outcome('rendered', `${count} ${count === 1 ? 'offer is' : 'offers are'} on the page`, missing);
  }

  function subject(): LifecycleSubject {
    if (!dom.baseURI) {
      const placement = outcome('invalid_config', 'There is no page here', 'Call showOffers in the browser only.');
      return { options, placement };
    }
    const checked = checkOptions(options, dom.baseURI);
    const lacksTarget = 'mode' in checked && checked.mode === 'INLINE' && !options.target;
    return { options, placement: lacksTarget ? invalid('target', 'a selector, such as "#offers"') : checked };
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

  function callBack(event: PageEvent): void {
    if (typeof options?.onEvent === 'function') options.onEvent(event);
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
      await inspect?.({ offers, options, again, reopen: session.reopenQueue, ...exchange });
    } catch (error) {
      // No inspector, then: the offers are shown all the same.
      missing = error instanceof Error ? error.message : undefined;
    }
  }

  function again(changes: Partial<ShowOptions>): void {
    options = { ...options, ...changes };
    session.restart(subject());
  }
}
