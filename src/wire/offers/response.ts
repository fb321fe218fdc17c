// The response of POST /recommendations, with the field names of the wire, and its checked form. See docs/project/wire.md#response.

export interface Advertiser {
  id: string;
  name: string;
  logo_url?: string | undefined;
  description?: string | undefined;
}

export interface CtaDetails {
  accept_copy: string;
  decline_copy: string;
  transition_copy?: string | undefined;
  claimed_accept_copy?: string | undefined;
  claimed_decline_copy?: string | undefined;
}

export interface OfferMetadata {
  type: 'PROMO_CODE' | 'NO_PROMO_CODE';
  code?: string | undefined;
  layout_type?: string | undefined;
}

export interface Asset {
  id: string;
  asset_type: 'PRODUCT' | 'IMAGE';
  image_url: string;
  insertion_order: number;
  target_url?: string | undefined;
  should_trigger_claim_flow: boolean;
}

export interface DisclosureDetails {
  copy: string;
  target_url?: string | undefined;
  content?: string | undefined;
}

export interface Offer {
  id: string;
  heading: string;
  subheading?: string | undefined;
  target_url: string;
  cta_details: CtaDetails;
  metadata?: OfferMetadata | undefined;
  assets?: readonly Asset[] | undefined;
  disclosure_details?: DisclosureDetails | undefined;
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
  heading?: string | undefined;
  slot_context?: 'HERO' | 'SCROLLABLE' | undefined;
  items: readonly GroupItem[];
}

export interface Footer {
  attribution_details?: { copy: string; logo_url?: string | undefined; target_url?: string | undefined };
  privacy_policy?: { copy: string; target_url?: string | undefined };
}

/** What a network sends. `readRecommendations` turns this and the other accepted forms into a `SafeResponse`. */
export interface RecommendationResponse {
  session_id: string;
  recommendations: Record<string, Recommendation>;
  recommendation_groups: readonly RecommendationGroup[];
  footer: Footer;
  /** Added by a relay in sandbox mode: the widget then shows a Sandbox mark. */
  sandbox?: boolean;
}

/** One offer in its place, checked and safe to show: copy is plain text, every URL is safe to open. */
export interface PlacedOffer {
  insertion_id: string;
  offer_id: string;
  advertiser_id: string;
  advertiser: Advertiser;
  offer: Offer;
}

export interface PlacedGroup {
  id: string;
  heading?: string | undefined;
  slot_context?: 'HERO' | 'SCROLLABLE' | undefined;
  offers: readonly PlacedOffer[];
}

/** An offer that is not shown, and why. */
export interface LeftOut {
  offer_id: string;
  reason: string;
}

/** A checked response: what can be shown, in order, and what cannot. */
export interface SafeResponse {
  session_id: string;
  groups: readonly PlacedGroup[];
  footer: Footer;
  sandbox: boolean;
  left_out: readonly LeftOut[];
}
