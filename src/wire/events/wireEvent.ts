// POST /events and /events/batch: what happened on a page, in the wire's own names.

export const EVENT_NAMES = [
  'WIDGET_LOAD',
  'WIDGET_DISPLAY',
  'WIDGET_VIEW',
  'BRAND_DISPLAY',
  'BRAND_VIEW',
  'BRAND_CLICK',
  'ELEMENT_CLICK',
  'PRODUCT_DISPLAY',
  'PRODUCT_VIEW',
  'PRODUCT_CLICK',
  'CONVERSION',
] as const;
export type EventName = (typeof EVENT_NAMES)[number];

/** The INLINE_ names are used in every display mode. */
export const TARGETS = [
  'INLINE_SLOT',
  'INLINE_ACTION_BUTTON',
  'INLINE_ASSET_TILE',
  'INLINE_NAV_FORWARD',
  'INLINE_NAV_BACKWARD',
  'INLINE_FOOTER_BRAND',
  'INLINE_FOOTER_PRIVACY',
  'INLINE_TILE',
] as const;
export type Target = (typeof TARGETS)[number];

export interface BrandProperties {
  offer_id: string;
  advertiser_id: string;
  insertion_id: string;
}

export interface ConversionProperties {
  conversion_id: string;
  order_id?: string | undefined;
  amount?: number | string;
  currency_code?: string;
}

/** One event as it crosses the wire. */
export interface WireEvent {
  /** The idempotency key: made once, when the event happened. */
  event_id?: string;
  event_name: EventName;
  /** RFC 3339: when it happened on the shopper's device. */
  event_datetime: string;
  session_id: string;
  initiating_target?: Target;
  brand_properties?: BrandProperties;
  asset_id?: string;
  product_properties?: { product_id: string };
  conversion_properties?: ConversionProperties;
}

/** Why one event of a batch was not accepted. Real networks leave it out; ours always says. */
export interface ResultError {
  code: string;
  message: string;
  retryable: boolean;
}

export interface BatchResult {
  index: number;
  success: boolean;
  error?: ResultError;
}

/** The body of a 202, a 207 and a 502 with results. */
export interface BatchResponse {
  results: readonly BatchResult[];
  accepted: number;
  failed: number;
}
