import type { TrackedEvent } from '../queue/events.ts';
import type { EventName, Target } from '../wire/events.ts';
import type { Asset, PlacedOffer } from '../wire/recommendations.ts';
import type { Action, Subject } from '../widget/props.ts';
import type { OfferEvent, PageEvent } from './page-event.ts';

/** Milliseconds within which a second click on the same thing is the same click. */
const DOUBLE_CLICK_MS = 500;

/** What a reporter needs: the session, whether anything is counted at all, where events go, and what was counted before. */
export interface ReportOptions {
  readonly session_id: string;
  track(event: TrackedEvent): void;
  emit(event: PageEvent): void;
  /** True the first time a name comes for this session. */
  once(name: string): boolean;
  readonly now?: () => number;
}

/** Turns what was seen and done into events, each as often and in the order that the wire's table says. */
export interface Report {
  loaded(): void;
  seen(subject: Subject, what: 'display' | 'view'): void;
  acted(action: Exclude<Action, { type: 'dismiss' }>): void;
}

/** A `Report` of one session. */
export function createReport({ session_id, track, emit, once, now = Date.now }: ReportOptions): Report {
  const clicked = new Map<string, number>();

  function send(event_name: EventName, initiating_target?: Target, offer?: PlacedOffer, asset?: Asset): void {
    track({
      event_name,
      session_id,
      ...(initiating_target && { initiating_target }),
      ...(offer && {
        brand_properties: {
          offer_id: offer.offer_id,
          advertiser_id: offer.advertiser_id,
          insertion_id: offer.insertion_id,
        },
      }),
      ...(asset &&
        (initiating_target === 'INLINE_TILE'
          ? { product_properties: { product_id: asset.id } }
          : { asset_id: asset.id })),
    });
  }

  function tell(type: OfferEvent['type'], { offer_id, advertiser_id, insertion_id }: PlacedOffer, asset?: Asset): void {
    emit({ type, session_id, offer_id, advertiser_id, insertion_id, ...(asset && { asset_id: asset.id }) });
  }

  /** What is displayed lies in something that is displayed: the widget comes before its offer, the offer before its tile. */
  function seen(subject: Subject, what: 'display' | 'view'): void {
    if (what === 'view') seen(subject, 'display');
    const end = what === 'view' ? '_VIEW' : '_DISPLAY';
    switch (subject.kind) {
      case 'widget':
        if (once(`WIDGET${end}`)) send(`WIDGET${end}`);
        return;
      case 'offer': {
        const { offer } = subject;
        seen({ kind: 'widget' }, 'display');
        if (!once(`BRAND${end} ${offer.insertion_id}`)) return;
        send(`BRAND${end}`, 'INLINE_SLOT', offer);
        tell(what === 'view' ? 'view' : 'impression', offer);
        return;
      }
      case 'product': {
        const { offer, asset } = subject;
        seen({ kind: 'offer', offer }, 'display');
        if (once(`PRODUCT${end} ${offer.insertion_id} ${asset.id}`)) send(`PRODUCT${end}`, 'INLINE_TILE', offer, asset);
      }
    }
  }

  function isSecondClick(name: string): boolean {
    const isSecond = now() - (clicked.get(name) ?? -Infinity) < DOUBLE_CLICK_MS;
    clicked.set(name, now());
    return isSecond;
  }

  function acted(action: Exclude<Action, { type: 'dismiss' }>): void {
    if (action.type === 'footer') {
      if (isSecondClick(action.link)) return;
      send('ELEMENT_CLICK', action.link === 'brand' ? 'INLINE_FOOTER_BRAND' : 'INLINE_FOOTER_PRIVACY');
      return emit(action);
    }
    const { type, offer } = action;
    const asset = 'asset' in action ? action.asset : undefined;
    // Who can act on an offer has seen it, whatever the observer's delay.
    seen({ kind: 'offer', offer }, 'display');
    if (isSecondClick(`${type} ${offer.insertion_id} ${asset?.id}`)) return;
    switch (type) {
      case 'accept':
        send('BRAND_CLICK', asset ? 'INLINE_ASSET_TILE' : 'INLINE_ACTION_BUTTON', offer, asset);
        return tell('click', offer, asset);
      case 'product':
        seen({ kind: 'product', offer, asset: action.asset }, 'display');
        send('PRODUCT_CLICK', 'INLINE_TILE', offer, asset);
        return tell('product', offer, asset);
      case 'copy':
        return tell('copy', offer);
      case 'back':
        send('ELEMENT_CLICK', 'INLINE_NAV_BACKWARD', offer);
        return tell('back', offer);
      case 'next':
      case 'decline':
        send('ELEMENT_CLICK', 'INLINE_NAV_FORWARD', offer);
        return tell(type, offer);
    }
  }

  return { loaded: () => void (once('WIDGET_LOAD') && send('WIDGET_LOAD')), seen, acted };
}
