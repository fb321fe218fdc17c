import { dom } from '../dom/dom.ts';
import { openPageConsent, type ConsentOption } from '../session/consent.ts';
import { type Explanation, openTrace, tellDeveloper, warn } from '../session/openTrace.ts';
import { onWithdrawal, withdrawEverywhere } from '../session/sessionStorage.ts';
import { consentTexts, type LoadSources } from './namedConsent.ts';
import { readAttributes, type Inspect, type Mount, type ShowOptions } from './showOptions.ts';
import { showOffers, type MountContext } from './showOffers.ts';
import { whenGone } from './whenReady.ts';

/** The API of the script tag for the page's own scripts: `offerlet.push((o) => o.show({ … }))`, before and after it has loaded. */
export interface PageApi {
  /** Runs the calls. Before the script has loaded, `offerlet` is a plain array in which they wait. */
  push(...calls: ((page: PageApi) => void)[]): void;
  show(options: ShowOptions): Mount;
  /** The outcome of the page's first mount. Undefined until it is known. */
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

/** Milliseconds after which a script that nothing has called, or that stays on another page, is explained. */
const UNUSED_MS = 1_000;

const UNUSED =
  'No data-relay: tag managers drop it, as data-consent; type="module" and shadow roots hide it. Use createElement and setAttribute, or offerlet.push((o) => o.show({ … })).';
const LEFT = 'The page has changed, its script tag has not. Use <offer-let>, <Offers> or show().';

/** Opens the page's API, without mounts. */
export function openPageApi(inspect: Inspect, load: LoadSources): ScriptApi {
  const mounts = new Set<Mount>();
  const consent = openPageConsent();
  /** Open while consent is given: even without a mount, a withdrawal in another tab takes precedence. */
  let channel: { close(): void } | undefined;
  let ran: { script: HTMLScriptElement; url: string; destroy(): void } | undefined;
  let isUsed = false;
  /** Why there is no mount. */
  let unused: string | undefined;

  /** Explains why there is no mount, if that is still true in a second: a router may just run the tag of the next page. */
  function explainUnused(reason: string, isTrue: () => unknown): void {
    setTimeout(() => {
      if (mounts.size > 0 || !isTrue()) return;
      unused = reason;
      tellDeveloper(reason);
    }, UNUSED_MS);
  }

  consent.subscribe((now, before) => {
    channel?.close();
    if (now?.isGiven) channel = onWithdrawal(() => consent.withdraw());
    else if (now?.isGiven === false && now !== before && now.scope === 'origin') withdrawEverywhere();
  });

  const page: ScriptApi = {
    push(...calls) {
      isUsed ||= calls.length > 0;
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
      unused = undefined;
      return offers;
    },
    get outcome() {
      const [first] = mounts;
      return first?.outcome;
    },
    consent: (decision) => consent.set(decision, 'consent()'),
    explain: () =>
      unused
        ? [{ ...openTrace().explain(consent.latest), waitingFor: 'page', hint: unused }]
        : [...mounts].map((offers) => offers.explain()),
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
      const { href } = location;
      if (script && ran?.script.isConnected && ran.url === href) {
        // Two scripts would show and count everything twice.
        return warn('the script is already on this page. Remove one of the two.');
      }
      const hasOffers = ['relay', 'view', 'display-mode'].some((name) => script?.hasAttribute(`data-${name}`));
      if (!hasOffers) explainUnused(UNUSED, () => !isUsed && !dom.querySelector('offer-let'));
      if (!script) return;
      ran?.destroy();
      const offers = hasOffers
        ? page.show(readAttributes(script, 'data-', load), { prefix: 'data-', consentTexts })
        : undefined;
      let unwatch: (() => void) | undefined;
      const destroy = (): void => {
        unwatch?.();
        offers?.destroy();
      };
      ran = { script, url: href, destroy };
      setTimeout(() => {
        // Some loaders remove the tag as soon as it has run. That of a component stays when a single-page app goes on to another page.
        const { isConnected } = script;
        const isLeft = (): boolean => pageOf(location.href) !== pageOf(href);
        const leave = (): void => {
          destroy();
          if (offers && isLeft()) explainUnused(LEFT, () => script.isConnected);
        };
        unwatch = whenGone(script, leave, () => isLeft() || (isConnected && !script.isConnected));
      });
    },
  };
  return page;
}

/** What of a URL is another page in a single-page app: not the query, which scripts tidy up, nor the place in the page. */
function pageOf(url: string): string {
  return url.replace(/\?[^#]*|#(?![/!]).*/g, '');
}
