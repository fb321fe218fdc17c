import type { WireEvent } from '../../wire/events/wireEvent.ts';

export interface WriteOptions {
  /** For networks that take an `event_id`. */
  readonly keepIds: boolean;
}

/** Writes the body of a batch. Checked events have few fields; writing those takes half the time of `JSON.stringify`. */
export function writeBatch(events: readonly WireEvent[], options: WriteOptions): string {
  let text = '';
  for (const event of events) text += (text && ',') + writeEvent(event, options);
  return `{"events":[${text}]}`;
}

/** Writes the body of one event. */
export function writeEvent(event: WireEvent, { keepIds }: WriteOptions): string {
  const { event_id, initiating_target, brand_properties: brand, asset_id, product_properties: product } = event;
  // Names, targets and dates have been checked to be plain.
  let text = `{"event_name":"${event.event_name}","event_datetime":"${event.event_datetime}","session_id":${quote(event.session_id)}`;
  if (keepIds && event_id !== undefined) text += `,"event_id":${quote(event_id)}`;
  if (initiating_target !== undefined) text += `,"initiating_target":"${initiating_target}"`;
  if (brand)
    text += `,"brand_properties":{"offer_id":${quote(brand.offer_id)},"advertiser_id":${quote(brand.advertiser_id)},"insertion_id":${quote(brand.insertion_id)}}`;
  if (asset_id !== undefined) text += `,"asset_id":${quote(asset_id)}`;
  if (product) text += `,"product_properties":{"product_id":${quote(product.product_id)}}`;
  return `${text}}`;
}

/** ASCII without quotes, backslashes and control characters, which JSON writes as they are. */
const PLAIN = /^[ !#-[\]-~]*$/;

function quote(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}
