// POST /recommendations: what is asked and what is answered, in the wire's own names.

export const VIEWS = [
  'ORDER_STATUS',
  'CHECKOUT',
  'THANK_YOU',
  'POST_ORDER',
  'ORDER_TRACKING',
  'SUPPORT_CENTER',
] as const;
export const DISPLAY_MODES = ['OVERLAY', 'FULLSCREEN', 'PULLUP', 'INLINE'] as const;
/** The four ways to name a shopper; a request carries exactly one of them. */
export const IDENTIFIERS = ['email', 'email_hash', 'phone', 'external_guid'] as const;

export type View = (typeof VIEWS)[number];
export type DisplayMode = (typeof DISPLAY_MODES)[number];

export interface UserDetails {
  email?: string;
  /** Lower-case hex SHA-256 of the e-mail, trimmed and lower-cased. Pseudonymous, not anonymous. */
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
  /** A string on the wire ("2"); a number is accepted. */
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

/** The top-level fields that a relay forwards; everything else a page sends stops there. */
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

export interface Advertiser {
  id: string;
  name: string;
  logo_url?: string;
  description?: string;
}

export interface CtaDetails {
  accept_copy: string;
  decline_copy: string;
  transition_copy?: string;
  claimed_accept_copy?: string;
  claimed_decline_copy?: string;
}

export interface OfferMetadata {
  type: 'PROMO_CODE' | 'NO_PROMO_CODE';
  code?: string;
  layout_type?: string;
}

export interface Asset {
  id: string;
  asset_type: 'PRODUCT' | 'IMAGE';
  image_url: string;
  insertion_order: number;
  target_url?: string;
  should_trigger_claim_flow: boolean;
}

export interface DisclosureDetails {
  copy: string;
  target_url?: string;
  content?: string;
}

export interface Offer {
  id: string;
  heading: string;
  subheading?: string;
  target_url: string;
  cta_details: CtaDetails;
  metadata?: OfferMetadata;
  assets?: readonly Asset[];
  disclosure_details?: DisclosureDetails;
}

export interface Recommendation {
  advertiser: Advertiser;
  offer: Offer;
}

export interface GroupItem {
  insertion_order: number;
  insertion_id: string;
  offer_id: string;
  advertiser_id: string;
}

export interface RecommendationGroup {
  id: string;
  heading?: string;
  slot_context?: 'HERO' | 'SCROLLABLE';
  items: readonly GroupItem[];
}

export interface Footer {
  attribution_details?: { copy: string; logo_url?: string; target_url?: string };
  privacy_policy?: { copy: string; target_url?: string };
}

/** What a network sends. `readRecommendations` turns it (and the other accepted forms) into `Answer`. */
export interface RecommendationResponse {
  session_id: string;
  recommendations: Record<string, Recommendation>;
  recommendation_groups: readonly RecommendationGroup[];
  footer: Footer;
  /** Added by a relay in sandbox mode: the widget then wears a visible mark. */
  sandbox?: boolean;
}

/** One offer in its place, checked and safe to show: copy is plain text, every URL is one that may be opened. */
export interface PlacedOffer {
  insertion_id: string;
  offer_id: string;
  advertiser_id: string;
  advertiser: Advertiser;
  offer: Offer;
}

export interface PlacedGroup {
  id: string;
  heading?: string;
  slot_context?: 'HERO' | 'SCROLLABLE';
  offers: readonly PlacedOffer[];
}

/** An offer that is not shown, and why. */
export interface LeftOut {
  offer_id: string;
  reason: string;
}

/** A network's answer, read: what can be shown, in order, and what cannot. */
export interface Answer {
  session_id: string;
  groups: readonly PlacedGroup[];
  footer: Footer;
  sandbox: boolean;
  left_out: readonly LeftOut[];
}
