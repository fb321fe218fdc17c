import { readStats } from '../queue/readStats.ts';
import type { QueueStats } from '../queue/events.ts';
import type { Asset, Footer, PlacedGroup, PlacedOffer } from '../wire/offers/response.ts';
import { browserBacking, type Backing } from './browserBacking.ts';
import { checkOptions, invalid, type Placement } from './checkOptions.ts';
import type { ReportedAction } from './createReporter.ts';
import { keyValueBacking } from './keyValueBacking.ts';
import type { ObtainedOffers } from './obtainOffers.ts';
import { openLifecycle } from './openLifecycle.ts';
import { openTrace, type Explanation } from './openTrace.ts';
import type { SessionOptions } from './options.ts';
import { outcome, type Failure, type Outcome, type OutcomeCode } from './outcome.ts';
import type { DismissEvent, PageEvent } from './pageEvent.ts';

/** Everything that the `onEvent` of a session is called with. */
export type SessionEvent = PageEvent<'offers'>;

/** What a session has to show, or why it has nothing. */
export interface SessionResult extends Outcome<OutcomeCode<'offers'>> {
  /** The offers in the order in which they are shown; empty unless the code is `offers`. */
  readonly groups: readonly PlacedGroup[];
  readonly footer: Footer;
  /** The network says that these are test offers: mark them as such. */
  readonly isSandbox: boolean;
  /** The offers were requested before, for the same order. */
  readonly isRemembered: boolean;
}

/** Where an accepted offer leads. */
export interface Accepted {
  /** A checked https URL to open; empty if the offer is not one of this session. */
  readonly target_url: string;
  readonly promo_code?: string;
}

/** Offers for one shopper, without a page. No method throws or rejects. */
export interface Session {
  /** Resolves to the offers, or to why there are none, and never rejects. When a late yes follows a no, it is a new promise. */
  readonly result: Promise<SessionResult>;
  /** Some part of the offer, or of one of its product tiles, is on the screen. */
  displayed(offer: PlacedOffer, asset?: Asset): void;
  /** At least half of it was on the screen for one second. Call it only if you measured that. */
  viewed(offer: PlacedOffer, asset?: Asset): void;
  /**
   * The shopper accepted the offer, by its button or one of its tiles. Returns the URL to open, and is a promise of the same
   * that resolves once the click is written to storage: from then on it is delivered even if this process is killed.
   */
  accept(offer: PlacedOffer, asset?: Asset): Accepted & Promise<Accepted>;
  decline(offer: PlacedOffer): void;
  next(offer: PlacedOffer): void;
  back(offer: PlacedOffer): void;
  /** The shopper copied the promo code. It is reported to `onEvent` only. */
  copy(offer: PlacedOffer): void;
  /** The shopper clicked a product tile. */
  product(offer: PlacedOffer, asset: Asset): void;
  /** The shopper followed a link of the footer. */
  footer(link: 'brand' | 'privacy'): void;
  /** The shopper closed the offers. Those of an overlay, fullscreen or pull-up are not shown again for the same order. */
  dismiss(by: DismissEvent['by']): void;
  /** Returns what happened so far. */
  explain(): Explanation<'offers'>;
  /** Resolves to what is queued. Undefined while nothing may be stored. */
  stats(): Promise<QueueStats | undefined>;
  /** Writes what is pending and sends what is queued, now. */
  flush(): Promise<void>;
  /** A later decision: yes starts what waited for it, no ends the session and clears what is stored. */
  consent(isGiven: boolean): void;
  /** Ends the session. What was recorded stays in storage until it is delivered. */
  close(): void;
}

const STORAGE_METHODS = ['getItem', 'setItem', 'removeItem'] as const;
/** Milliseconds in which displays gather into one batch: workers and apps disappear without notice. */
const GATHER_MS = 200;

/** Opens a session: requests offers from the merchant's relay and records what the shopper sees and does. It never throws. */
export function openSession(options: SessionOptions): Session {
  const hasDatabases = typeof indexedDB !== 'undefined';
  const isKeyValue = options?.storage || !hasDatabases;
  return openSessionOn(isKeyValue ? keyValueBacking(options?.storage) : browserBacking, options);
}

/** Opens a session on key-value storage. Without the browser's own storage it takes a third fewer bytes. */
export function openStoredSession(options: SessionOptions & Required<Pick<SessionOptions, 'storage'>>): Session {
  return openSessionOn(keyValueBacking(options.storage), options);
}

function openSessionOn(backing: Backing, options: SessionOptions): Session {
  let shown: ObtainedOffers | undefined;
  let isDismissed = false;
  let ended: Promise<unknown> | undefined;
  let result: Promise<SessionResult>;

  const trace = openTrace<'offers'>((event: SessionEvent) => {
    if (typeof options?.onEvent === 'function') options.onEvent(event);
  });
  const lifecycle = openLifecycle<'offers'>(
    { options, placement: check(options) },
    {
      trace,
      backing,
      gatherMs: GATHER_MS,
      whenReady: async () => undefined,
      inspect: async () => undefined,
      async present(obtained, signal) {
        shown = obtained;
        isDismissed = false;
        signal.addEventListener('abort', () => (shown = undefined));
        const { count } = obtained;
        return outcome('offers', `There ${count === 1 ? 'is 1 offer' : `are ${count} offers`}`);
      },
    },
  );

  /** Returns the session's own copy of an offer: callers may have cloned it. */
  function find(offer: PlacedOffer | undefined): PlacedOffer | undefined {
    const all = shown?.groups.flatMap(({ offers }) => offers);
    const found = all?.find(({ insertion_id }) => insertion_id === offer?.insertion_id);
    if (!found) trace.emit({ type: 'error', reason: 'The offer is not one of this session: nothing was recorded' });
    return found;
  }

  function findAsset({ offer }: PlacedOffer, asset: Asset | undefined): Asset | undefined {
    return asset && offer.assets?.find(({ id }) => id === asset.id);
  }

  function seen(what: 'display' | 'view', given: PlacedOffer, asset?: Asset): void {
    const offer = isDismissed ? undefined : find(given);
    if (offer) shown?.reporter.seen(what, offer, findAsset(offer, asset));
  }

  function act(
    type: Exclude<ReportedAction['type'], 'footer'>,
    given: PlacedOffer,
    asset?: Asset,
  ): PlacedOffer | undefined {
    const offer = find(given);
    if (offer) shown?.reporter.acted({ type, offer, asset: findAsset(offer, asset) });
    return offer;
  }

  return {
    get result() {
      if (ended !== trace.ended) {
        ended = trace.ended;
        result = trace.ended.then((outcome) => ({
          ...outcome,
          groups: shown?.groups ?? [],
          footer: shown?.response.footer ?? {},
          isSandbox: trace.answered?.isSandbox === true,
          isRemembered: trace.answered?.isRemembered === true,
        }));
      }
      return result;
    },
    displayed: (offer, asset) => seen('display', offer, asset),
    viewed: (offer, asset) => seen('view', offer, asset),
    accept(given, asset) {
      const offer = act('accept', given, asset);
      const code = offer?.offer.metadata?.code;
      const accepted: Accepted = {
        target_url: (offer && (findAsset(offer, asset)?.target_url ?? offer.offer.target_url)) ?? '',
        ...(code && { promo_code: code }),
      };
      return Object.assign(
        (shown?.written() ?? Promise.resolve()).then(() => accepted),
        accepted,
      );
    },
    decline: (offer) => void act('decline', offer),
    next: (offer) => void act('next', offer),
    back: (offer) => void act('back', offer),
    copy: (offer) => void act('copy', offer),
    product: (offer, asset) => void act('product', offer, asset),
    footer: (link) => shown?.reporter.acted({ type: 'footer', link }),
    dismiss(by) {
      if (isDismissed) return;
      isDismissed = true;
      shown?.reporter.dismissed(by);
    },
    explain: trace.explain,
    async stats() {
      const queue = lifecycle.queue();
      return queue && readStats(queue);
    },
    flush: lifecycle.flush,
    consent: lifecycle.consent,
    close: lifecycle.close,
  };
}

function check(options: SessionOptions): Placement | Failure {
  // In a worker that was made from a blob, or in an app, there is nothing that a path could be relative to.
  const base = (globalThis as { location?: { href: string } }).location?.href;
  const checked = checkOptions(options, base);
  if (!base && 'code' in checked && checked.message.startsWith('relay'))
    return invalid('relay', 'the URL where your relay is mounted, such as "https://shop.example/offers"');
  if ('code' in checked) return checked;
  const { storage, fetch, headers } = options;
  if (storage && !STORAGE_METHODS.every((name) => typeof storage[name] === 'function'))
    return invalid('storage', `an object with ${STORAGE_METHODS.join(', ')}`);
  if (fetch && typeof fetch !== 'function') return invalid('fetch', 'a function like the global fetch');
  if (headers && typeof headers !== 'function') return invalid('headers', 'a function that returns the headers');
  if (!fetch && typeof globalThis.fetch !== 'function')
    return invalid('fetch', 'a function: there is no global fetch here');
  return checked;
}
