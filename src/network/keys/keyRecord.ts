import type { Environment } from '../../wire/keys.ts';

/** What a key opens. */
export const KEY_KINDS = ['management', 'publishable', 'publisher_reporting', 'integration', 'partner_wide'] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

/** What the network knows about a key; the key itself it does not keep. */
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

/** A key's row, in force or not. */
export interface KeyRow extends KeyRecord {
  readonly key_hash: string;
  readonly revoked_at: Date | null;
  /** Whether the publisher that it belongs to has left the channel. */
  readonly publisher_removed: boolean;
}
