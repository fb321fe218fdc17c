import type { TrackedEvent } from '../queue/events.ts';
import { onceId, type BrandProperties, type EventName, type Target } from '../wire/events.ts';
import { DOUBLE_CLICK_MS } from '../wire/limits.ts';
import type { Asset, PlacedOffer } from '../wire/offers/response.ts';
import type { DismissEvent, PageEvent } from './openTrace.ts';

/** An action of the shopper. An `asset` is the tile that was clicked. */
export type ReportedAction =
  | { readonly type: keyof typeof CLICKS | 'copy'; readonly offer: PlacedOffer; readonly asset?: Asset | undefined }
  | { readonly type: 'footer'; readonly link: 'brand' | 'privacy' };

/** The name and target of the wire event for each click. Copying a code is reported to the page only. */
const CLICKS = {
  accept: ['BRAND_CLICK', 'INLINE_ACTION_BUTTON'],
  product: ['PRODUCT_CLICK', 'INLINE_TILE'],
  decline: ['ELEMENT_CLICK', 'INLINE_NAV_FORWARD'],
  next: ['ELEMENT_CLICK', 'INLINE_NAV_FORWARD'],
  back: ['ELEMENT_CLICK', 'INLINE_NAV_BACKWARD'],
} as const satisfies Readonly<Record<string, readonly [EventName, Target]>>;

/** The session that is reported, and where the events go. */
interface ReporterOptions {
  readonly session_id: string;
  track(event: TrackedEvent): void;
  emit(event: PageEvent): void;
  /** Returns true the first time that it is called with the id of an event. */
  once(event_id: string): boolean;
  /** Called when the shopper closed the offers. */
  onDismissed(): void;
  now?(): number;
}

/** Turns what was seen and done into events, in the order and as often as docs/project/wire.md#events says. */
export interface Reporter {
  /** The offers have arrived. Any other event implies it. */
  loaded(): void;
  /** Something was displayed or viewed: a product if there is an asset, else an offer if there is one, else the widget. */
  seen(what: 'display' | 'view', offer?: PlacedOffer, asset?: Asset): void;
  /** The shopper acted. The same action within a double click counts once. */
  acted(action: ReportedAction): void;
  dismissed(by: DismissEvent['by']): void;
}

/** Creates the reporter of one session. */
export function createReporter({
  session_id,
  track,
  emit,
  once,
  onDismissed,
  now = () => performance.now(),
}: ReporterOptions): Reporter {
  const actedAt = new Map<string, number>();

  const loaded = (): void => void sendOnce('WIDGET_LOAD');

  function send(event: Omit<TrackedEvent, 'session_id'>, target?: Target, offer?: PlacedOffer, asset?: Asset): void {
    loaded();
    const about: TrackedEvent = { session_id, ...event };
    if (target) about.initiating_target = target;
    if (offer) about.brand_properties = brandProperties(offer);
    if (asset && target === 'INLINE_TILE') about.product_properties = { product_id: asset.id };
    else if (asset) about.asset_id = asset.id;
    track(about);
  }

  /** Sends what counts once, with the same id in every window, so that relay and network drop the duplicates. */
  function sendOnce(event_name: EventName, target?: Target, offer?: PlacedOffer, asset?: Asset): boolean {
    const event_id = onceId(session_id, event_name, offer?.insertion_id, asset?.id);
    const isNew = once(event_id);
    if (isNew) send({ event_name, event_id }, target, offer, asset);
    return isNew;
  }

  /** Whatever is displayed has a container that is displayed first: the widget before its offer, the offer before its tile. */
  function seen(what: 'display' | 'view', offer?: PlacedOffer, asset?: Asset): void {
    const suffix = what === 'view' ? 'VIEW' : 'DISPLAY';
    if (what === 'view') seen('display', offer, asset);
    if (!offer) return void sendOnce(`WIDGET_${suffix}`);
    seen('display', asset && offer);
    if (asset) return void sendOnce(`PRODUCT_${suffix}`, 'INLINE_TILE', offer, asset);
    if (sendOnce(`BRAND_${suffix}`, 'INLINE_SLOT', offer)) emit({ type: what, session_id, ...brandProperties(offer) });
  }

  /** Whether the same was done less than a double click ago. */
  function isRepeated(...what: unknown[]): boolean {
    const name = what.join(' ');
    const before = actedAt.get(name) ?? -DOUBLE_CLICK_MS;
    actedAt.set(name, now());
    return now() - before < DOUBLE_CLICK_MS;
  }

  function acted(action: ReportedAction): void {
    if (action.type === 'footer') {
      if (isRepeated(action.link)) return;
      send({ event_name: 'ELEMENT_CLICK' }, action.link === 'brand' ? 'INLINE_FOOTER_BRAND' : 'INLINE_FOOTER_PRIVACY');
      return emit(action);
    }
    const { type, offer, asset } = action;
    if (isRepeated(type, offer.insertion_id, asset?.id)) return;
    // What the shopper acted on was displayed, even if no observer has reported it yet.
    seen('display', offer, type === 'product' ? asset : undefined);
    if (type !== 'copy') {
      const [event_name, target] = CLICKS[type];
      send({ event_name }, asset && type === 'accept' ? 'INLINE_ASSET_TILE' : target, offer, asset);
    }
    emit({
      type: type === 'accept' ? 'click' : type,
      session_id,
      ...brandProperties(offer),
      ...(asset && { asset_id: asset.id }),
    });
  }

  return {
    loaded,
    seen,
    acted,
    dismissed(by) {
      onDismissed();
      emit({ type: 'dismiss', by });
    },
  };
}

function brandProperties({ offer_id, advertiser_id, insertion_id }: PlacedOffer): BrandProperties {
  return { offer_id, advertiser_id, insertion_id };
}
