import { openConsent, type ConsentOption } from '../session/consent.ts';
import type { Explanation } from '../session/openTrace.ts';
import { onWithdrawal, withdrawEverywhere } from '../session/sessionStorage.ts';
import { readAttributes, type Inspect, type Mount, type ShowOptions } from './showOptions.ts';
import { showOffers, type MountContext } from './showOffers.ts';
import { whenGone } from './whenReady.ts';

/** The API of the script tag for the page's own scripts: `offerlet.push((o) => o.show({ … }))`, before and after it has loaded. */
export interface PageApi {
  /** Runs the calls. Before the script has loaded, `offerlet` is a plain array in which they wait. */
  push(...calls: ((page: PageApi) => void)[]): void;
  show(options: ShowOptions): Mount;
  /** The outcome of the page's first mount. Undefined while there is none. */
  readonly outcome: Mount['outcome'] | undefined;
  /** A decision on consent for every mount of the page, later ones included, or a source of such decisions. */
  consent(decision: ConsentOption): void;
  /** Returns what happened, one explanation for each mount. */
  explain(): Explanation[];
  flush(): Promise<void>;
  /** Closes the offers of every mount as the shopper would. */
  dismiss(): void;
  /** Removes every mount from the page. */
  destroy(): void;
}

/** The API, and what the script itself needs of it. */
export interface ScriptApi extends PageApi {
  show(options: ShowOptions, context?: MountContext): Mount;
  /**
   * Runs a script tag: shows what its attributes describe until the tag leaves the document. Single-page apps run the tag of
   * each page that they show.
   */
  run(script: HTMLScriptElement | null): void;
}

/** Opens the page's API, without mounts. */
export function openPageApi(inspect?: Inspect): ScriptApi {
  const mounts = new Set<Mount>();
  const consent = openConsent('given');
  /** Open while consent is given: even without a mount, a withdrawal in another tab takes precedence. */
  let channel: { close(): void } | undefined;
  let ran: { script: HTMLScriptElement; url: string; destroy(): void } | undefined;

  consent.subscribe(({ state, before }) => {
    channel?.close();
    if (state === 'given') channel = onWithdrawal(() => consent.withdraw());
    else if (state === 'denied' && state !== before && !consent.isElsewhere) withdrawEverywhere();
  });

  const page: ScriptApi = {
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
    show(options, context) {
      const offers = showOffers(options, {
        ...context,
        inspect,
        page: consent,
        onDestroyed: () => mounts.delete(offers),
      });
      mounts.add(offers);
      return offers;
    },
    get outcome() {
      const [first] = mounts;
      return first?.outcome;
    },
    consent: (decision) => consent.set(decision, 'consent()'),
    explain: () => [...mounts].map((offers) => offers.explain()),
    async flush() {
      await Promise.all([...mounts].map((offers) => offers.flush()));
    },
    dismiss() {
      for (const offers of mounts) offers.dismiss();
    },
    destroy() {
      consent.closeSource();
      for (const offers of mounts) offers.destroy();
    },
    run(script) {
      if (!script) return;
      const { href } = location;
      if (ran?.script.isConnected && ran.url === href) {
        // oxlint-disable-next-line no-console -- two scripts would show and count everything twice
        console.warn('offerlet: the script is already on this page. Remove one of the two.');
        return;
      }
      ran?.destroy();
      const hasOffers = ['relay', 'view', 'display-mode'].some((name) => script.hasAttribute(`data-${name}`));
      const offers = hasOffers ? page.show(readAttributes(script, 'data-'), { prefix: 'data-' }) : undefined;
      let unwatch: (() => void) | undefined;
      const destroy = (): void => {
        unwatch?.();
        offers?.destroy();
      };
      ran = { script, url: href, destroy };
      // Some loaders remove the tag as soon as it has run.
      setTimeout(() => script.isConnected && (unwatch = whenGone(script, destroy)));
    },
  };
  return page;
}
