import type { Explanation } from '../session/openTrace.ts';
import type { Inspect } from './inspection.ts';
import type { ShowOptions } from './options/showOptions.ts';
import { PAGE_DECISION } from './options/readAttributes.ts';
import type { Offers } from './offers.ts';
import { showOffers } from './showOffers.ts';

/** What a page's own scripts can ask of the script tag: `offerlet.push((o) => o.show({ … }))`, before and after it has loaded. */
export interface PageApi {
  /** Calls at once; before the script has loaded, `offerlet` is a plain list and the calls wait in it. */
  push(...calls: ((page: PageApi) => void)[]): void;
  show(options: ShowOptions): Offers;
  /** A word on consent for every mount of the page, those to come included. */
  consent(isGiven: boolean): void;
  /** The story of each mount. */
  explain(): Explanation[];
  flush(): Promise<void>;
  close(): void;
  destroy(): void;
}

/** The page's API, with no mounts yet. */
export function openPageApi(inspect?: Inspect): PageApi {
  const mounts = new Set<Offers>();
  let decision: boolean | undefined;
  /** Another tab decided, and has cleared what was stored. */
  let isElsewhere = false;

  const page: PageApi = {
    push(...calls) {
      for (const call of calls) {
        try {
          call(page);
        } catch (error) {
          // One bad call must not cost the others; the page hears of it as of any error of its own.
          reportError(error);
        }
      }
    },
    show(options) {
      // A no holds for mounts to come. A yes holds for those that do not wait for a decision of their own.
      const isOpen = decision === false || options?.consent === undefined || options.consent === PAGE_DECISION;
      const offers = showOffers(decision !== undefined && isOpen ? { ...options, consent: decision } : options, {
        inspect,
        isDecided: decision === true || isElsewhere,
        onWithdrawn() {
          decision = false;
          isElsewhere = true;
        },
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
      decision = isGiven;
      isElsewhere = false;
      for (const offers of mounts) offers.consent(isGiven);
    },
    explain: () => [...mounts].map((offers) => offers.explain()),
    async flush() {
      await Promise.all([...mounts].map((offers) => offers.flush()));
    },
    close() {
      for (const offers of mounts) offers.close();
    },
    destroy() {
      for (const offers of mounts) offers.destroy();
    },
  };
  return page;
}
