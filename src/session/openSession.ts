import type { KeyValueStorage } from '../queue/openKeyValueDatabase.ts';
import { readStats } from '../queue/openQueue.ts';
import type { QueueStats } from '../queue/events.ts';
import type { Asset, Footer, PlacedGroup, PlacedOffer } from '../wire/offers/response.ts';
import { checkOptions, copyOptions, type OfferOptions, type Placement } from './checkOptions.ts';
import type { ConsentOption } from './consent.ts';
import type { ReportedAction } from './createReporter.ts';
import {
  invalid,
  outcome,
  type DismissEvent,
  type Failure,
  type Outcome,
  type OutcomeCode,
  type PageEvent,
  openTrace,
  type Explanation,
} from './openTrace.ts';
import type { LoadedOffers } from './findOffers.ts';
import { openOfferSession } from './offerSession.ts';
import {
  browserStorage,
  hasLocalStorage,
  keyValueStorage,
  type SessionStorage,
  workerStorage,
} from './sessionStorage.ts';

/** The options of `openSession`. Only `relay` and `request` are required. */
export interface SessionOptions extends Omit<OfferOptions, 'onEvent'> {
  /** Called with every step. Errors that it throws are ignored. */
  onEvent?: ((event: SessionEvent) => void) | undefined;
  /** By default IndexedDB, with `localStorage` beside it; memory where there is no IndexedDB. */
  storage?: KeyValueStorage | undefined;
}

/** An outcome of a session. */
export type SessionOutcome = Outcome<SessionOutcomeCode>;
export type SessionOutcomeCode = OutcomeCode<'offers'>;

/** What a session has to show, or why it has nothing. */
export interface SessionResult extends SessionOutcome {
  /** The offers in the order in which they are shown; empty unless the code is `offers`. */
  readonly groups: readonly PlacedGroup[];
  readonly footer: Footer;
  /** The network says that these are test offers: mark them as such. */
  readonly isSandbox: boolean;
  /** The offers were requested before, for the same order. */
  readonly isRemembered: boolean;
}

/** Everything that the `onEvent` of a session is called with. Its outcomes carry the offers, as its result does. */
export type SessionEvent = NoOutcome | (SessionResult & { readonly type: 'outcome' });
type NoOutcome = Exclude<PageEvent, { type: 'outcome' }>;

/** What happened to a session, as `explain()` of a page has it. Its outcomes carry no offers. */
export type SessionExplanation = Explanation<SessionOutcomeCode>;

/** Where an accepted offer leads. */
export interface Accepted {
  /** A checked https URL to open; empty if the offer is not one of this session. */
  readonly target_url: string;
  readonly promo_code?: string;
  /** Resolves when the click is on disk: from then on it is delivered even if this process is killed. Never rejects. */
  readonly stored: Promise<void>;
}

/** Offers for one shopper, without a page. No method throws or rejects. */
export interface Session {
  /** Resolves to the first outcome: the offers, or why there are none. Never rejects. What comes later is an event. */
  readonly result: Promise<SessionResult>;
  /** The latest outcome, with the offers while there are any. Undefined until the first. */
  readonly latest: SessionResult | undefined;
  /** Calls back with each event, until the returned function is called. */
  subscribe(listener: (event: SessionEvent) => void): () => void;
  /** Some part of the offer, or of one of its product tiles, is on the screen. */
  displayed(offer: PlacedOffer, asset?: Asset): void;
  /** At least half of it was on the screen for one second. Call it only if you measured that. */
  viewed(offer: PlacedOffer, asset?: Asset): void;
  /** The shopper accepted the offer, by its button or one of its tiles. Returns the URL to open. */
  accept(offer: PlacedOffer, asset?: Asset): Accepted;
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
  explain(): SessionExplanation;
  /** Resolves to what is queued. Undefined while nothing may be stored. */
  stats(): Promise<QueueStats | undefined>;
  /** Writes what is pending and sends what is queued, now. */
  flush(): Promise<void>;
  /**
   * A later decision on consent, or a source of decisions. `true` starts what waited for it, `false` ends the offers and clears
   * what is stored; anything else means undecided.
   */
  consent(decision: ConsentOption): void;
  /** Ends the session. It counts as nothing, and what was recorded stays in storage until it is delivered. */
  destroy(): void;
}

const STORAGE_METHODS = ['getItem', 'setItem', 'removeItem'] as const;
/** Milliseconds in which displays gather into one batch: workers and apps disappear without notice. */
const GATHER_MS = 200;

/** Opens a session: requests offers from the merchant's relay and records what the shopper sees and does. It never throws. */
export function openSession(options: SessionOptions): Session {
  return openSessionOn(options, (storage) =>
    storage || typeof indexedDB === 'undefined'
      ? keyValueStorage(storage)
      : hasLocalStorage()
        ? browserStorage
        : workerStorage,
  );
}

/** Opens a session on key-value storage. Without the browser's own storage it takes a third fewer bytes. */
export function openStoredSession(options: SessionOptions & Required<Pick<SessionOptions, 'storage'>>): Session {
  return openSessionOn(options, keyValueStorage);
}

function openSessionOn(
  given: SessionOptions,
  storageFor: (storage: KeyValueStorage | undefined) => SessionStorage,
): Session {
  const { options, error } = copyOptions(given);
  const trace = openTrace<SessionOutcomeCode>();
  const subscribe = (listener: (event: SessionEvent) => void): (() => void) =>
    trace.subscribe((event) => listener(event.type === 'outcome' ? { ...resultOf(event), type: 'outcome' } : event));
  subscribe((event) => options.onEvent?.(event));
  const session = openOfferSession(error ?? check(options), {
    trace,
    storage: storageFor(options.storage),
    gatherMs: GATHER_MS,
    async show({ find }, signal) {
      const found = await find(signal, {
        find: () => (options.prefetched ? [options.prefetched] : []),
        isComing: () => false,
      });
      if ('code' in found) return found;
      const offers = found.load();
      if ('code' in offers) return offers;
      const { count } = offers;
      return { offers, outcome: outcome('offers', `There ${count === 1 ? 'is 1 offer' : `are ${count} offers`}`) };
    },
  });
  const { dismiss, explain, flush, consent, destroy } = session;
  const result = trace.first.then(resultOf);

  function resultOf(outcome: SessionOutcome): SessionResult {
    const offers = shownBy(outcome);
    return {
      ...outcome,
      groups: offers?.groups ?? [],
      footer: offers?.response.footer ?? {},
      isSandbox: !!trace.response?.isSandbox,
      isRemembered: !!trace.response?.isRemembered,
    };
  }

  /** The offers that are not taken down. */
  function shownBy(outcome = trace.outcome): LoadedOffers | undefined {
    return outcome?.code === 'offers' ? session.shown : undefined;
  }

  /** Returns the session's own copy of an offer: callers may have cloned it. */
  function find(offer: PlacedOffer | undefined): PlacedOffer | undefined {
    const all = shownBy()?.groups.flatMap(({ offers }) => offers);
    const found = all?.find(({ insertion_id }) => insertion_id === offer?.insertion_id);
    if (!found) trace.emit({ type: 'error', reason: 'The offer is not one of this session' });
    return found;
  }

  function findAsset({ offer }: PlacedOffer, asset: Asset | undefined): Asset | undefined {
    return asset && offer.assets?.find(({ id }) => id === asset.id);
  }

  function seen(what: 'display' | 'view', given: PlacedOffer, asset?: Asset): void {
    const offer = session.isOpen && find(given);
    if (offer) session.shown?.reporter.seen(what, offer, findAsset(offer, asset));
  }

  function act(
    type: Exclude<ReportedAction['type'], 'footer'>,
    given: PlacedOffer,
    asset?: Asset,
  ): PlacedOffer | undefined {
    const offer = find(given);
    if (offer) session.shown?.reporter.acted({ type, offer, asset: findAsset(offer, asset) });
    return offer;
  }

  return {
    result,
    get latest() {
      return trace.outcome && resultOf(trace.outcome);
    },
    subscribe,
    displayed: (offer, asset) => seen('display', offer, asset),
    viewed: (offer, asset) => seen('view', offer, asset),
    accept(given, asset) {
      const offer = act('accept', given, asset);
      const code = offer?.offer.metadata?.code;
      return {
        target_url: (offer && (findAsset(offer, asset)?.target_url ?? offer.offer.target_url)) ?? '',
        ...(code && { promo_code: code }),
        stored: Promise.resolve(session.shown?.written()).then(() => {}),
      };
    },
    decline: (offer) => void act('decline', offer),
    next: (offer) => void act('next', offer),
    back: (offer) => void act('back', offer),
    copy: (offer) => void act('copy', offer),
    product: (offer, asset) => void act('product', offer, asset),
    footer: (link) => shownBy()?.reporter.acted({ type: 'footer', link }),
    dismiss,
    explain,
    async stats() {
      const { queue } = session;
      return queue && readStats(queue);
    },
    flush,
    consent,
    destroy,
  };
}

function check(options: SessionOptions): Placement | Failure {
  // In a worker that was made from a blob, or in an app, there is nothing that a path could be relative to.
  const base = (globalThis as { location?: { href: string } }).location?.href;
  const checked = checkOptions(options, { base });
  if ('code' in checked) return checked;
  const { storage } = options;
  if (storage && !STORAGE_METHODS.every((name) => typeof storage[name] === 'function'))
    return invalid('storage', `an object with ${STORAGE_METHODS.join(', ')}`);
  return checked;
}
