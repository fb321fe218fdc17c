import { timingSafeEqual } from 'node:crypto';
import { readKey } from '../../wire/keys.ts';
import type { NetworkContext } from '../context.ts';
import { hashKey } from './createKey.ts';
import type { KeyKind, KeyRecord } from './keyRecord.ts';

/** The key's record, or why the request is refused. */
export type Authentication =
  | { readonly ok: true; readonly key: KeyRecord }
  | { readonly ok: false; readonly message: string };

/** The key that a request carries. */
export function keyOf(request: Request): string | undefined {
  return request.headers.get('x-api-key')?.trim();
}

/**
 * Who calls, by the `x-api-key` header, when the key is one of the kinds that this route takes. The message of a refusal
 * is meant for the caller: it names an environment mismatch, and otherwise does not tell unknown, revoked and expired keys apart.
 */
export async function authenticate(
  request: Request,
  context: NetworkContext,
  kinds: readonly KeyKind[],
): Promise<Authentication> {
  const key = keyOf(request);
  if (!key) return refuse('Authentication is missing: send the key in the x-api-key header.');
  const stated = readKey(key);
  if (stated && stated.environment !== context.environment) {
    return refuse(
      `The key environment (${stated.environment}) does not match the service environment (${context.environment}).`,
    );
  }
  const record = await findKey(context, key);
  if (record && context.environment === 'production' && record.issued_in !== 'production')
    return refuse('A control of a staging network created this key; production does not accept it.');
  if (!record || !kinds.includes(record.kind)) {
    return refuse(record ? 'This key does not open this interface.' : 'The key is invalid, revoked or expired.');
  }
  return { ok: true, key: record };
}

async function findKey(context: NetworkContext, key: string): Promise<KeyRecord | undefined> {
  const row = await context.caller();
  if (!row || !timingSafeEqual(Buffer.from(row.key_hash), Buffer.from(hashKey(key)))) return undefined;
  const isOver = row.revoked_at !== null || (row.expires_at !== null && row.expires_at <= (await context.now()));
  // A publisher that left the channel takes its integration with it (C24).
  const isOrphan = row.publisher_removed && row.kind !== 'management';
  return isOver || isOrphan || row.environment !== context.environment ? undefined : row;
}

function refuse(message: string): Authentication {
  return { ok: false, message };
}
