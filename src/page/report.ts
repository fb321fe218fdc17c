import type { TrackedEvent } from '../queue/events.ts';
import type { ShopperAction, Viewable } from '../widget/props.ts';
import type { BrandProperties, EventName, Target } from '../wire/events/wireEvent.ts';
import type { Asset, PlacedOffer } from '../wire/offers/response.ts';
import type { PageEvent } from './pageEvent.ts';

/** What a click on an offer is on the wire; copying its code is nobody's business but the page's. */
const CLICKS: Partial<Record<ShopperAction['type'], readonly [EventName, Target]>> = {
  accept: ['BRAND_CLICK', 'INLINE_ACTION_BUTTON'],
  product: ['PRODUCT_CLICK', 'INLINE_TILE'],
  decline: ['ELEMENT_CLICK', 'INLINE_NAV_FORWARD'],
  next: ['ELEMENT_CLICK', 'INLINE_NAV_FORWARD'],
  back: ['ELEMENT_CLICK', 'INLINE_NAV_BACKWARD'],
};

/** What a report needs: the session, where events go, and what was counted before. */
export interface ReportOptions {
  readonly session_id: string;
  track(event: TrackedEvent): void;
  emit(event: PageEvent): void;
  /** True the first time a name comes for this session. */
  once(name: string): boolean;
}

/** Turns what was seen and done into events, each as often and in the order that the wire's table says. */
export interface Report {
  loaded(): void;
  seen(subject: Viewable, what: 'display' | 'view'): void;
  acted(action: Exclude<ShopperAction, { type: 'dismiss' }>): void;
}

/** A `Report` of one session. */
export function createReport({ session_id, track, emit, once }: ReportOptions): Report {
  function send(event_name: EventName, initiating_target?: Target, offer?: PlacedOffer, asset?: Asset): void {
    const event: TrackedEvent = { event_name, session_id };
    if (initiating_target) event.initiating_target = initiating_target;
    if (offer) event.brand_properties = namesOf(offer);
    if (asset && initiating_target === 'INLINE_TILE') event.product_properties = { product_id: asset.id };
    else if (asset) event.asset_id = asset.id;
    track(event);
  }

  /** What is displayed lies in something that is displayed: the widget comes before its offer, the offer before its tile. */
  function seen(subject: Viewable, what: 'display' | 'view'): void {
    const isView = what === 'view';
    const end = isView ? 'VIEW' : 'DISPLAY';
    if (isView) seen(subject, 'display');
    if (subject.kind === 'widget') {
      if (once(end)) send(`WIDGET_${end}`);
      return;
    }
    const { kind, offer } = subject;
    const isOffer = kind === 'offer';
    seen(isOffer ? { kind: 'widget' } : { kind: 'offer', offer }, 'display');
    if (!once([end, offer.insertion_id, isOffer ? '' : subject.asset.id].join(' '))) return;
    if (!isOffer) return send(`PRODUCT_${end}`, 'INLINE_TILE', offer, subject.asset);
    send(`BRAND_${end}`, 'INLINE_SLOT', offer);
    emit({ type: isView ? 'view' : 'impression', session_id, ...namesOf(offer) });
  }

  function acted(action: Exclude<ShopperAction, { type: 'dismiss' }>): void {
    if (action.type === 'footer') {
      send('ELEMENT_CLICK', action.link === 'brand' ? 'INLINE_FOOTER_BRAND' : 'INLINE_FOOTER_PRIVACY');
      return emit(action);
    }
    const { type, offer } = action;
    const asset = 'asset' in action ? action.asset : undefined;
    // Who can act on it has seen it, whatever the observer's delay.
    seen(
      action.type === 'product' ? { kind: 'product', offer, asset: action.asset } : { kind: 'offer', offer },
      'display',
    );
    const click = CLICKS[type];
    if (click) send(click[0], asset && type === 'accept' ? 'INLINE_ASSET_TILE' : click[1], offer, asset);
    emit({
      type: type === 'accept' ? 'click' : type,
      session_id,
      ...namesOf(offer),
      ...(asset && { asset_id: asset.id }),
    });
  }

  return { loaded: () => void (once('LOAD') && send('WIDGET_LOAD')), seen, acted };
}

function namesOf({ offer_id, advertiser_id, insertion_id }: PlacedOffer): BrandProperties {
  return { offer_id, advertiser_id, insertion_id };
}
