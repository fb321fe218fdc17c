// The Channel API: publishers, categories and exclusions of the channel that owns the key.

export const CHANNEL_PATHS = {
  categories: '/adnet/adconfig/categories/',
  channelExclusions: '/adnet/channel/exclusions/',
  channelDetails: '/adnet/channel/details/',
  publishers: '/adnet/publishers/list/',
  add: '/adnet/publishers/add/',
  publisher: (id: string): string => `/adnet/publishers/details/${encodeURIComponent(id)}/`,
  publisherExclusions: (id: string): string => `/adnet/publishers/${encodeURIComponent(id)}/exclusions/`,
  remove: (id: string): string => `/adnet/publishers/${encodeURIComponent(id)}/remove/`,
} as const;

export const PUBLISHER_STATUSES = ['PENDING', 'NEEDS_INFO', 'APPROVED', 'REJECTED'] as const;
export type PublisherStatus = (typeof PUBLISHER_STATUSES)[number];

export interface Subcategory {
  remote_id: string;
  name: string;
}

export interface Category extends Subcategory {
  subcategories: readonly Subcategory[];
}

export interface ChannelDetails {
  name: string;
  exclusions: { subcategories: { channel: readonly string[] } };
}

interface PublisherFields {
  brand_name: string;
  primary_category: string;
  created_at: string;
  exclusions: { subcategories: { external: readonly string[]; publisher: readonly string[] } };
}

/** A publisher of the channel, or a request to add one. A status that is not known yet is passed through. */
export type Publisher = PublisherFields &
  (
    | { status: 'APPROVED'; publisher_remote_id: string; pending_publisher_id: string | null }
    | { status: 'PENDING' | 'NEEDS_INFO'; publisher_remote_id: null; pending_publisher_id: string }
    | { status: 'REJECTED'; publisher_remote_id: string | null; pending_publisher_id: string | null }
  );

/** With a publishable key; null while the publisher is pending. */
export type PublisherDetail = Publisher & { api_key: string | null };

export interface PublisherList {
  count: number;
  next: string | null;
  previous: string | null;
  publishers: readonly Publisher[];
}

export interface PublisherItem {
  brand_name: string;
  domain: string;
  primary_category_id: string;
  subcategory_ids: readonly string[];
}

export interface CreateRequest {
  pending_publisher_id: string;
  status: PublisherStatus;
  brand_name: string;
  domain: string;
  primary_category: { remote_id: string; name: string };
  subcategory_ids: readonly string[];
  staff_notes: string;
  created_at: string;
  updated_at: string;
}

export type AddResult =
  | { brand_name: string; domain: string; status: 'created'; create_request: CreateRequest }
  | { brand_name: string; domain: string; status: 'duplicate'; error: string };
