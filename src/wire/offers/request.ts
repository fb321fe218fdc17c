// The body of POST /recommendations, with the field names of the wire. See docs/project/wire.md#request.

export const VIEWS = [
  'ORDER_STATUS',
  'CHECKOUT',
  'THANK_YOU',
  'POST_ORDER',
  'ORDER_TRACKING',
  'SUPPORT_CENTER',
] as const;
export const DISPLAY_MODES = ['OVERLAY', 'FULLSCREEN', 'PULLUP', 'INLINE'] as const;
/** The four ways to identify a shopper; a request has exactly one of them. */
export const IDENTIFIERS = ['email', 'email_hash', 'phone', 'external_guid'] as const;

export type View = (typeof VIEWS)[number];
export type DisplayMode = (typeof DISPLAY_MODES)[number];

type Identifier = (typeof IDENTIFIERS)[number];

/** At most one of the identifiers. */
type OneIdentifier = {
  [Given in Identifier]: { [Name in Identifier]?: Name extends Given ? string | undefined : undefined };
}[Identifier];

/**
 * A shopper. Has at most one of `email`, `email_hash`, `phone` and `external_guid`. `email_hash` is the SHA-256 of the trimmed,
 * lower-cased email address in lower-case hex: pseudonymous, not anonymous.
 */
export type UserDetails = OneIdentifier & {
  first_name?: string | undefined;
  last_name?: string | undefined;
  [other: string]: unknown;
};

export interface PlacementDetails {
  view: View;
  display_mode: DisplayMode;
  widget_id?: string | undefined;
  sub_view?: string | undefined;
  [other: string]: unknown;
}

export interface CostDetails {
  amount?: number | string | undefined;
  currency_code?: string | undefined;
  [other: string]: unknown;
}

export interface OrderDetails {
  order_id?: string | undefined;
  cost_details?: CostDetails | undefined;
  [other: string]: unknown;
}

export interface Purchase {
  product_id?: string | undefined;
  name?: string | undefined;
  /** A string such as "2"; a number is accepted and converted. */
  quantity?: string | number | undefined;
  cost_details?: CostDetails | undefined;
  [other: string]: unknown;
}

export interface Attributes {
  device_type?: 'MOBILE' | 'TABLET' | 'DESKTOP' | undefined;
  operating_system?: string | undefined;
  user_agent?: string | undefined;
  /** ISO 639. */
  language?: string | undefined;
  ip_address?: string | undefined;
  platform_type?: string | undefined;
  [other: string]: unknown;
}

export interface CustomMetadata {
  is_sandbox?: boolean | undefined;
  [other: string]: unknown;
}

export interface RecommendationRequest {
  /** Not required by a relay that knows the shopper. */
  user_details?: UserDetails | undefined;
  placement_details: PlacementDetails;
  order_details?: OrderDetails | undefined;
  purchases?: readonly Purchase[] | undefined;
  attributes?: Attributes | undefined;
  custom_metadata?: CustomMetadata | undefined;
  shipping?: unknown;
  billing?: unknown;
  running_experiments?: unknown;
}

/** A request as the network gets it. */
export interface IdentifiedRequest extends RecommendationRequest {
  user_details: UserDetails;
}

/** The top-level fields that a relay forwards; it drops everything else. */
export const REQUEST_FIELDS = [
  'user_details',
  'placement_details',
  'order_details',
  'purchases',
  'attributes',
  'custom_metadata',
  'shipping',
  'billing',
  'running_experiments',
] as const satisfies readonly (keyof RecommendationRequest)[];

/**
 * Beside the request in the body of a page: a random text that the device has for this order alone. A relay repeats a response
 * to whoever shows it again, and forwards it to nobody.
 */
export const NONCE_FIELD = 'nonce';

/**
 * Whether a user agent declares itself a bot. `navigator.webdriver` and headless browsers are not declarations:
 * merchants test with them. CUBOT makes phones.
 */
export function isBot(userAgent: string): boolean {
  return /(^|[^u])bot(?![a-z])|crawl|spider|slurp|mediapartners|facebookexternalhit|lighthouse/i.test(userAgent);
}
