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
  /** Returns true the first time it is called with a name for this session. */
  once(name: string): boolean;
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

  const loaded = (): void => {
    if (once('LOAD')) send('WIDGET_LOAD');
  };

  function send(event_name: EventName, initiating_target?: Target, offer?: PlacedOffer, asset?: Asset): void {
    loaded();
    const event: TrackedEvent = { event_name, session_id };
    // Events that count once have the same id in every window, so that relay and network drop the duplicates.
    if (/LOAD|DISPLAY|VIEW/.test(event_name))
      event.event_id = onceId(session_id, event_name, offer?.insertion_id, asset?.id);
    if (initiating_target) event.initiating_target = initiating_target;
    if (offer) event.brand_properties = brandProperties(offer);
    if (asset && initiating_target === 'INLINE_TILE') event.product_properties = { product_id: asset.id };
    else if (asset) event.asset_id = asset.id;
    track(event);
  }

  /** Whatever is displayed has a container that is displayed first: the widget before its offer, the offer before its tile. */
  function seen(what: 'display' | 'view', offer?: PlacedOffer, asset?: Asset): void {
    const isView = what === 'view';
    const suffix = isView ? 'VIEW' : 'DISPLAY';
    if (isView) seen('display', offer, asset);
    if (!offer) {
      if (once(suffix)) send(`WIDGET_${suffix}`);
      return;
    }
    seen('display', asset && offer);
    if (!once([suffix, offer.insertion_id, asset?.id].join(' '))) return;
    if (asset) return send(`PRODUCT_${suffix}`, 'INLINE_TILE', offer, asset);
    send(`BRAND_${suffix}`, 'INLINE_SLOT', offer);
    emit({ type: isView ? 'view' : 'display', session_id, ...brandProperties(offer) });
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
      send('ELEMENT_CLICK', action.link === 'brand' ? 'INLINE_FOOTER_BRAND' : 'INLINE_FOOTER_PRIVACY');
      return emit(action);
    }
    const { type, offer, asset } = action;
    if (isRepeated(type, offer.insertion_id, asset?.id)) return;
    // What the shopper acted on was displayed, even if no observer has reported it yet.
    seen('display', offer, type === 'product' ? asset : undefined);
    if (type !== 'copy') {
      const [name, target] = CLICKS[type];
      send(name, asset && type === 'accept' ? 'INLINE_ASSET_TILE' : target, offer, asset);
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
