import { randomBytes, randomUUID } from 'node:crypto';
import type { Environment } from '../wire/keys.ts';
import type { Queries } from './database/database.ts';
import { hashKey, type KeyKind } from './context.ts';

const PREFIXES: Readonly<Record<KeyKind, string>> = {
  management: 'sk',
  publisher_reporting: 'sk',
  publishable: 'pk',
  integration: 'rk',
  partner_wide: 'rp',
};

/** What a new key gives access to, where, and for how long. */
interface NewKey {
  readonly kind: KeyKind;
  /** Where it gives access. */
  readonly environment: Environment;
  /** The environment of the network that issues it. */
  readonly issuedIn: Environment;
  readonly channelId: string;
  /** The publisher_remote_id of a scoped key. */
  readonly publisherId?: string | null | undefined;
  readonly expiresAt?: Date | null;
  readonly now?: Date;
  /** The text of an earlier key to use; by default a new random one. */
  readonly key?: string;
}

/** Issues a key. Its text is only in the return value. */
export async function createKey(db: Queries, options: NewKey): Promise<{ id: string; key: string }> {
  const mode = options.environment === 'production' ? 'live' : 'test';
  const key = options.key ?? `adnet_${PREFIXES[options.kind]}_${mode}_${randomBytes(24).toString('base64url')}`;
  const id = randomUUID();
  await db.query(
    `INSERT INTO api_keys (id, key_hash, kind, environment, issued_in, channel_id, publisher_id, created_at, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      id,
      hashKey(key),
      options.kind,
      options.environment,
      options.issuedIn,
      options.channelId,
      options.publisherId ?? null,
      options.now ?? new Date(),
      options.expiresAt ?? null,
    ],
  );
  return { id, key };
}

/** A key that a network of this environment issued: staging may not touch the keys of production. */
interface IssuedKey {
  readonly id: string;
  readonly issuedIn: Environment;
}

/** Revokes a key; returns whether there was such a key in force. */
export async function revokeKey(db: Queries, { id, issuedIn }: IssuedKey): Promise<boolean> {
  const rows = await db.query(
    'UPDATE api_keys SET revoked_at = $3 WHERE id = $1 AND issued_in = $2 AND revoked_at IS NULL RETURNING id',
    [id, issuedIn, new Date()],
  );
  return rows.length > 0;
}

/** Revokes every key of a publisher. */
export async function revokeKeysOfPublisher(db: Queries, publisherId: string, now: Date): Promise<void> {
  await db.query('UPDATE api_keys SET revoked_at = $2 WHERE publisher_id = $1 AND revoked_at IS NULL', [
    publisherId,
    now,
  ]);
}

/** Replaces a key by a new one for the same purpose and revokes it; `undefined` if there is no such key in force. */
export async function rotateKey(
  db: Queries,
  { id, issuedIn }: IssuedKey,
): Promise<{ id: string; key: string } | undefined> {
  const now = new Date();
  const [old] = await db.query<{
    kind: KeyKind;
    environment: Environment;
    channel_id: string;
    publisher_id: string | null;
    expires_at: Date | null;
  }>(
    `UPDATE api_keys SET revoked_at = $3 WHERE id = $1 AND issued_in = $2 AND revoked_at IS NULL
     RETURNING kind, environment, channel_id, publisher_id, expires_at`,
    [id, issuedIn, now],
  );
  if (!old) return undefined;
  const { kind, environment } = old;
  return createKey(db, {
    kind,
    environment,
    issuedIn,
    channelId: old.channel_id,
    publisherId: old.publisher_id,
    expiresAt: old.expires_at,
    now,
  });
}

/** A control would change what a production network on the same database shows or counts. The caller gets a 409. */
export class ProductionDataError extends Error {
  override readonly name = 'ProductionDataError';
  constructor() {
    super(
      'A production network shares this database, and this control would change its data. Use another database for staging.',
    );
  }
}

/** Throws a `ProductionDataError` if a production network has issued keys in this database. */
export async function refuseProductionData(db: Queries): Promise<void> {
  const [key] = await db.query("SELECT 1 AS yes FROM api_keys WHERE issued_in = 'production' LIMIT 1");
  if (key) throw new ProductionDataError();
}
