import { openQueue } from '../queue/openQueue.ts';
import { checkOptions } from './checkOptions.ts';
import type { Explanation } from './explanation.ts';
import { forgetAll } from './memory.ts';
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

/** Asks the merchant's relay for offers and shows them. It never throws: `outcome` says what came of it. */
export function showOffers(options: ShowOptions): Offers {
  const story = beginStory(options?.onEvent);
  const settings = checkOptions(options, document.baseURI);
  let life = new AbortController();
  let queue: ReturnType<typeof openQueue> | undefined;
  let isAllowed = false;
  let isDestroyed = false;
  let closeOffers: (() => void) | undefined;
  let settle: (result: Outcome) => void;
  let ended = unsettled();
  void run(options?.consent ?? !('globalPrivacyControl' in navigator && navigator.globalPrivacyControl));

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
  }

  async function run(word: boolean | Promise<boolean>): Promise<void> {
    const { signal } = (life = new AbortController());
    // So that the caller has its `Offers` before the first event, and a mount that React undoes at once does nothing.
    const isYes: unknown = await Promise.resolve(word).catch(() => false);
    if (signal.aborted) return;
    if ('code' in settings) return end(settings);
    isAllowed = isYes === true;
    if (!isAllowed) return deny();
    try {
      await whenReady();
      signal.throwIfAborted();
      queue ??= openQueue({ endpoint: `${settings.relay}/events/batch`, onEvent: story.emit });
      end(await openOffers({ options, settings, story, queue, signal, onMount: (close) => (closeOffers = close) }));
    } catch (error) {
      if (!signal.aborted)
        end(outcome('network_error', `The offers could not be shown (${String(error)})`, 'please report this'));
    }
  }

  /** Whatever an earlier page was allowed to keep goes as well. */
  function deny(): void {
    isAllowed = false;
    life.abort();
    const hadMemory = forgetAll();
    if ('code' in settings) return;
    if (hadMemory) queue ??= openQueue({ endpoint: `${settings.relay}/events/batch`, onEvent: story.emit });
    const emptied = queue;
    queue = undefined;
    void emptied?.purge().then(emptied.close, emptied.close);
    end(outcome('consent_denied', 'There is no consent', 'consent(true) shows the offers once there is'));
  }

  return {
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
      if (!isGiven) return deny();
      if (isAllowed) return;
      life.abort();
      if (story.outcome) ended = unsettled();
      story.outcome = undefined;
      void run(true);
    },
  };
}
