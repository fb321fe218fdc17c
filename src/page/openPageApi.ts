import type { Explanation } from '../session/openTrace.ts';
import type { ConsentSource } from '../session/options.ts';
import { onForeignWithdrawal, withdrawEverywhere } from '../session/withdrawEverywhere.ts';
import type { Inspect } from './inspection.ts';
import type { ShowOptions } from './options/showOptions.ts';
import { isPageDecision } from './options/readAttributes.ts';
import type { Offers } from './offers.ts';
import { showOffers } from './showOffers.ts';

/** The API of the script tag for the page's own scripts: `offerlet.push((o) => o.show({ … }))`, before and after it has loaded. */
export interface PageApi {
  /** Runs the calls. Before the script has loaded, `offerlet` is a plain array in which they wait. */
  push(...calls: ((page: PageApi) => void)[]): void;
  show(options: ShowOptions): Offers;
  /** A decision on consent for every mount of the page, later ones included, or a source of such decisions. */
  consent(decision: boolean | ConsentSource): void;
  /** Returns what happened to each mount. */
  explain(): Explanation[];
  flush(): Promise<void>;
  close(): void;
  destroy(): void;
}

/** Opens the page's API, without mounts. */
export function openPageApi(inspect?: Inspect): PageApi {
  const mounts = new Set<Offers>();
  let decision: boolean | undefined;
  /** Another tab decided, and cleared what was stored. */
  let isElsewhere = false;
  let unsubscribe: (() => void) | void;
  /** Open while the decision is yes: without a mount, too, a withdrawal in another tab is newer. */
  let channel: BroadcastChannel | undefined;

  function onWithdrawn(): void {
    decision = false;
    isElsewhere = true;
    channel?.close();
  }

  const page: PageApi = {
    push(...calls) {
      for (const call of calls) {
        try {
          call(page);
        } catch (error) {
          // The other calls still run, and the page's error handlers are notified.
          reportError(error);
        }
      }
    },
    show(options) {
      // A no holds for later mounts. A yes holds for those without a decision of their own.
      const isOpen = decision === false || options?.consent === undefined || isPageDecision(options.consent);
      const offers = showOffers(decision !== undefined && isOpen ? { ...options, consent: decision } : options, {
        inspect,
        isDecided: decision === true || isElsewhere,
        onWithdrawn,
      });
      const { destroy } = offers;
      offers.destroy = () => {
        mounts.delete(offers);
        destroy();
      };
      mounts.add(offers);
      return offers;
    },
    consent(isGiven) {
      if (typeof isGiven === 'function') {
        unsubscribe?.();
        unsubscribe = isGiven((isGiven: unknown) => page.consent(isGiven === true));
        return;
      }
      decision = isGiven;
      isElsewhere = false;
      channel?.close();
      for (const offers of mounts) offers.consent(isGiven);
      if (isGiven) channel = onForeignWithdrawal(onWithdrawn);
      else withdrawEverywhere();
    },
    explain: () => [...mounts].map((offers) => offers.explain()),
    async flush() {
      await Promise.all([...mounts].map((offers) => offers.flush()));
    },
    close() {
      for (const offers of mounts) offers.close();
    },
    destroy() {
      unsubscribe?.();
      for (const offers of mounts) offers.destroy();
    },
  };
  return page;
}
