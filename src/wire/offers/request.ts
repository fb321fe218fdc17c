// The body of POST /recommendations, with the field names of the wire. See docs/wire.md#request.

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

export interface UserDetails {
  email?: string;
  /** SHA-256 of the trimmed, lower-cased e-mail in lower-case hex. Pseudonymous, not anonymous. */
  email_hash?: string;
  phone?: string;
  external_guid?: string;
  first_name?: string;
  last_name?: string;
  [other: string]: unknown;
}

export interface PlacementDetails {
  view: View;
  display_mode: DisplayMode;
  widget_id?: string;
  sub_view?: string;
  [other: string]: unknown;
}

interface CostDetails {
  amount?: number | string;
  currency_code?: string;
  [other: string]: unknown;
}

export interface OrderDetails {
  order_id?: string;
  cost_details?: CostDetails;
  [other: string]: unknown;
}

export interface Purchase {
  product_id?: string;
  name?: string;
  /** A string such as "2"; a number is accepted and converted. */
  quantity?: string | number;
  cost_details?: CostDetails;
  [other: string]: unknown;
}

export interface Attributes {
  device_type?: 'MOBILE' | 'TABLET' | 'DESKTOP';
  operating_system?: string;
  user_agent?: string;
  /** ISO 639. */
  language?: string;
  ip_address?: string;
  platform_type?: string;
  [other: string]: unknown;
}

export interface CustomMetadata {
  is_sandbox?: boolean;
  [other: string]: unknown;
}

export interface RecommendationRequest {
  user_details: UserDetails;
  placement_details: PlacementDetails;
  order_details?: OrderDetails;
  purchases?: readonly Purchase[];
  attributes?: Attributes;
  custom_metadata?: CustomMetadata;
  shipping?: unknown;
  billing?: unknown;
  running_experiments?: unknown;
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
