// POST /events and POST /events/batch, with the field names of the wire. See docs/project/wire.md#events.

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

/** Used in every display mode, in spite of the `INLINE_` prefix. */
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

/** One event as it is sent. */
export interface WireEvent {
  /** The idempotency key, created once, when the event happened. */
  event_id?: string;
  event_name: EventName;
  /** RFC 3339, by the clock of the shopper's device. */
  event_datetime: string;
  session_id: string;
  initiating_target?: Target;
  brand_properties?: BrandProperties;
  asset_id?: string;
  product_properties?: { product_id: string };
  conversion_properties?: ConversionProperties;
}

/** Why one event of a batch was not accepted. Real networks leave it out; the sandbox network always sends it. */
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

/** The body of a 202, of a 207 and of a 502 with results. */
export interface BatchResults {
  results: readonly BatchResult[];
  accepted: number;
  failed: number;
}
