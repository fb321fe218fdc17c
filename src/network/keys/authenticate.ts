import { timingSafeEqual } from 'node:crypto';
import { readKey, type Environment } from '../../wire/keys.ts';
import { hashKey } from './storedKeys.ts';
import type { KeyKind, KeyRecord, KeyRow } from './keyRecord.ts';

/** The key's record, or why the request is refused. */
export type Authentication =
  | { readonly ok: true; readonly key: KeyRecord }
  | { readonly ok: false; readonly message: string };

/** What authentication needs to know about the network and the request. */
export interface KeyContext {
  readonly environment: Environment;
  now(): Promise<Date>;
  /** The key that the request carries, in force or not. */
  caller(): Promise<KeyRow | undefined>;
}

/** The key that a request carries. */
export function keyOf(request: Request): string | undefined {
  return request.headers.get('x-api-key')?.trim();
}

/**
 * Identifies the caller by the `x-api-key` header, if the key is of a kind that this route accepts. The message of a refusal
 * is for the caller: it names an environment mismatch, but does not tell unknown, revoked and expired keys apart.
 */
export async function authenticate(
  request: Request,
  context: KeyContext,
  kinds: readonly KeyKind[],
): Promise<Authentication> {
  const key = keyOf(request);
  if (!key) return refuse('The key is missing. Send it in the x-api-key header.');
  const stated = readKey(key);
  if (stated && stated.environment !== context.environment) {
    return refuse(
      `The key environment (${stated.environment}) does not match the service environment (${context.environment}).`,
    );
  }
  const record = await findKey(context, key);
  if (!record) return refuse('The key is invalid, revoked or expired.');
  if (context.environment === 'production' && record.issued_in !== 'production')
    return refuse('A staging network created this key; production does not accept it.');
  return kinds.includes(record.kind) ? { ok: true, key: record } : refuse('This key does not give access to this API.');
}

async function findKey(context: KeyContext, key: string): Promise<KeyRecord | undefined> {
  const row = await context.caller();
  if (!row || !timingSafeEqual(Buffer.from(row.key_hash), Buffer.from(hashKey(key)))) return undefined;
  const isOver = row.revoked_at !== null || (row.expires_at !== null && row.expires_at <= (await context.now()));
  // Removing a publisher from the channel ends its integration (docs/rules.md#c24).
  const isOrphan = row.publisher_removed && row.kind !== 'management';
  return isOver || isOrphan || row.environment !== context.environment ? undefined : row;
}

function refuse(message: string): Authentication {
  return { ok: false, message };
}
