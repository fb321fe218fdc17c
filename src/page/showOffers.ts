import { dom } from '../dom/dom.ts';
import { withdrawConsent } from '../queue/withdrawConsent.ts';
import { openPageQueue, type PageQueue } from '../queue/openPageQueue.ts';
import { checkOptions, type Settings } from './checkOptions.ts';
import type { Explanation } from './explanation.ts';
import { mayInspect, type Exchange, type Inspect } from './inspection.ts';
import { forgetAll } from './memory.ts';
import { nextTask } from './nextTask.ts';
import { openOffers } from './openOffers.ts';
import type { ShowOptions } from './options.ts';
import { outcome, type Outcome } from './outcome.ts';
import { beginStory } from './story.ts';
import { whenReady } from './whenReady.ts';

/** One mount of offers on a page. */
export interface Offers {
  /** How it ended, once; it never rejects. When a late yes follows a no, it is a new promise. */
  readonly outcome: Promise<Outcome>;
  /** The whole story so far: what was asked, answered, left out and why, what was seen, what is queued. */
  explain(): Explanation;
  /** Sends what is waiting, now. */
  flush(): Promise<void>;
  /** Closes the offers as the shopper would. */
  close(): void;
  /** Takes everything off the page and stops. What was tracked stays on the device until it is delivered. */
  destroy(): void;
  /** A later word on consent: yes starts what waited for it, no takes the offers down and empties the queue. */
  consent(isGiven: boolean): void;
}

/** Whether the browser sends Global Privacy Control. */
function saysNo(): boolean | undefined {
  return (globalThis.navigator as { globalPrivacyControl?: boolean } | undefined)?.globalPrivacyControl;
}

/** What a mount is given by the page that it belongs to. */
export interface PageContext {
  readonly inspect?: Inspect | undefined;
  /** The shopper has already decided for the whole page, so a no of this mount says nothing about what is stored. */
  readonly isDecided?: boolean | undefined;
  /** Called when consent was withdrawn in another tab, or by another mount. */
  onWithdrawn?(): void;
}

/** How long a mount waits for what a withdrawal is still clearing: storage may hang. */
const CLEARING_MS = 1_000;

/** Asks the merchant's relay for offers and shows them. It never throws: `outcome` says what came of it. */
export function showOffers(options: ShowOptions, { inspect, isDecided, onWithdrawn }: PageContext = {}): Offers {
  const story = beginStory(options?.onEvent);
  let settings = checkOptions(options, dom.baseURI);
  let life = new AbortController();
  let queue: PageQueue | undefined;
  /** Undefined until there is a decision. */
  let isAllowed: boolean | undefined;
  /** What is still being cleared from storage. */
  let clearing: Promise<unknown> | undefined;
  let isDestroyed = false;
  let closeOffers: (() => void) | undefined;
  let settle: (result: Outcome) => void;
  let ended = unsettled();
  const offers: Offers = {
    get outcome() {
      return ended;
    },
    explain: story.explain,
    async flush() {
      await queue?.flush();
    },
    close: () => closeOffers?.(),
    destroy() {
      isDestroyed = true;
      life.abort();
      void queue?.close();
      end(outcome('no_offers', 'It was destroyed before there was anything to show'));
    },
    consent(isGiven) {
      if (isDestroyed || 'code' in settings) return;
      if (isGiven === isAllowed) return;
      if (!isGiven) return deny();
      life.abort();
      restart(true);
    },
  };
  void run(options?.consent ?? !saysNo());
  return offers;

  function unsettled(): Promise<Outcome> {
    return new Promise((resolve) => (settle = resolve));
  }

  function end(result: Outcome): void {
    if (story.outcome) return;
    story.outcome = result;
    const { code, message, hint } = result;
    const isError = code === 'invalid_config' || code === 'refused' || code === 'network_error';
    // oxlint-disable-next-line no-console -- the one line that a developer must see, and the only one
    if (code === 'invalid_config') console.warn(`offerlet: ${message}: ${hint}`);
    story.emit({ type: isError ? 'error' : code, ...result });
    settle(result);
    if (story.answered?.isSandbox !== false) void look();
  }

  async function run(word: boolean | Promise<boolean>): Promise<void> {
    const { signal } = (life = new AbortController());
    // So that the caller has its `Offers` before the first event, and a mount that React undoes at once does nothing.
    const isYes: unknown = await Promise.resolve(word).catch(() => false);
    if (signal.aborted) return;
    if ('code' in settings) return end(settings);
    if (isYes !== true) return deny();
    isAllowed = true;
    try {
      await whenReady();
      signal.throwIfAborted();
      await Promise.race([clearing, clearing && nextTask(CLEARING_MS)]);
      signal.throwIfAborted();
      queue ??= reopen();
      await nextTask();
      signal.throwIfAborted();
      end(
        await openOffers({
          options,
          settings,
          story,
          signal,
          queue: () => queue,
          inspect: look,
          onMount: (close) => (closeOffers = close),
        }),
      );
    } catch (error) {
      if (!signal.aborted)
        end(outcome('network_error', `The offers could not be shown (${String(error)})`, 'please report this'));
    }
  }

  /** Takes the offers down and clears what this page, or an earlier one, was allowed to store. */
  function deny(isElsewhere?: boolean): void {
    isAllowed = false;
    life.abort();
    if ('code' in settings) return;
    if (queue ?? !isDecided) forgetAll();
    if (queue && !isElsewhere) clearing = queue.withdraw();
    else if (!queue && !isDecided) clearing = withdrawConsent(endpoint());
    queue = undefined;
    end(outcome('consent_denied', 'There is no consent', 'consent(true) shows the offers once there is'));
  }

  function restart(word: boolean | Promise<boolean>): void {
    if (story.outcome) ended = unsettled();
    story.asked = story.answered = story.outcome = undefined;
    isAllowed = undefined;
    void run(word);
  }

  function endpoint(): string {
    return `${(settings as Settings).relay}/events/batch`;
  }

  function reopen(): PageQueue {
    void queue?.close();
    return (queue = openPageQueue({
      endpoint: endpoint(),
      onEvent: story.emit,
      onWithdrawn() {
        deny(true);
        onWithdrawn?.();
      },
    }));
  }

  function again(changes: Partial<ShowOptions>): void {
    life.abort();
    forgetAll();
    clearing = queue?.notes.sweep(() => false);
    options = { ...options, ...changes };
    settings = checkOptions(options, dom.baseURI);
    restart(options.consent ?? true);
  }

  async function look(exchange?: Exchange): Promise<void> {
    try {
      if (mayInspect(options, exchange)) await inspect?.({ offers, options, again, reopen, ...exchange });
    } catch {
      // No inspector, then: the offers are shown all the same.
    }
  }
}
