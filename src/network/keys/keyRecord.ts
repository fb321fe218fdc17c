import type { Environment } from '../../wire/keys.ts';

/** What a key gives access to. */
export const KEY_KINDS = ['management', 'publishable', 'publisher_reporting', 'integration', 'partner_wide'] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

/** What the network stores about a key. It does not store the key itself. */
export interface KeyRecord {
  readonly id: string;
  readonly kind: KeyKind;
  readonly environment: Environment;
  /** The environment of the network that issued the key: production accepts none that a staging control created. */
  readonly issued_in: Environment;
  readonly channel_id: string;
  /** The publisher_remote_id that a scoped key belongs to. */
  readonly publisher_id: string | null;
  readonly expires_at: Date | null;
}

/** The row of a key, in force or not. */
export interface KeyRow extends KeyRecord {
  readonly key_hash: string;
  readonly revoked_at: Date | null;
  /** Whether the publisher that it belongs to was removed from the channel. */
  readonly publisher_removed: boolean;
}
