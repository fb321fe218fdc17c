import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { isObject, own, parseJson } from '../../wire/json.ts';
import type { Environment } from '../../wire/keys.ts';
import type { Queries } from '../database/database.ts';
import { createKey, hashKey, revokeKey } from '../keys/storedKeys.ts';
import { readSetting, writeSetting } from '../settings/settings.ts';

/** The kinds of keys for the first channel and its first publisher. */
export const FIRST_KEY_KINDS = ['management', 'publishable', 'publisher_reporting', 'integration'] as const;
export type FirstKeyKind = (typeof FIRST_KEY_KINDS)[number];
export type FirstKeys = Readonly<Record<FirstKeyKind, string>>;

/** Where a staging network stores its readable keys: in a file beside the data, or in the database if there is no directory. */
export interface KeyPlace {
  readonly file?: string;
}

/** The owner of the first keys. */
export interface FirstOwner {
  readonly channel_id: string;
  readonly publisher_remote_id: string;
}

/** Issues first keys to an owner: new ones, or the given ones again. Revokes all earlier first keys. */
export async function issueFirstKeys(
  db: Queries,
  owner: FirstOwner,
  options: { environment: Environment; keys?: FirstKeys },
): Promise<FirstKeys> {
  const old = await readSetting(db, idsOf(options.environment));
  for (const id of Array.isArray(old) ? old : [])
    await revokeKey(db, { id: String(id), issuedIn: options.environment });
  const { keys, ids } = await issueTenantKeys(db, owner, { ...options, issuedIn: options.environment });
  await writeSetting(db, idsOf(options.environment), ids);
  return keys;
}

/** Issues one key of each kind for a channel and its publisher. */
export async function issueTenantKeys(
  db: Queries,
  owner: FirstOwner,
  options: { environment: Environment; issuedIn: Environment; keys?: FirstKeys },
): Promise<{ keys: FirstKeys; ids: readonly string[] }> {
  const ids: string[] = [];
  const issue = async (kind: FirstKeyKind): Promise<string> => {
    const isScoped = kind === 'integration' || kind === 'publisher_reporting';
    const { id, key } = await createKey(db, {
      kind,
      environment: options.environment,
      issuedIn: options.issuedIn,
      channelId: owner.channel_id,
      publisherId: isScoped ? owner.publisher_remote_id : null,
      ...(options.keys ? { key: options.keys[kind] } : {}),
    });
    ids.push(id);
    return key;
  };
  const keys = {
    management: await issue('management'),
    publishable: await issue('publishable'),
    publisher_reporting: await issue('publisher_reporting'),
    integration: await issue('integration'),
  };
  return { keys, ids };
}

/** Reads the stored keys, if all four exist and are in force. */
export async function readFirstKeys(db: Queries, { file }: KeyPlace): Promise<FirstKeys | undefined> {
  const kept = file === undefined ? await readSetting(db, 'first_keys') : readFile(file);
  const keys: Record<string, string> = {};
  for (const kind of FIRST_KEY_KINDS) {
    const key = own(kept, kind);
    if (typeof key !== 'string' || !(await isInForce(db, key))) return undefined;
    keys[kind] = key;
  }
  return keys as FirstKeys;
}

/** Stores the keys for the next start, readable for this account only. */
export async function storeFirstKeys(db: Queries, keys: FirstKeys, { file }: KeyPlace): Promise<void> {
  if (file === undefined) return writeSetting(db, 'first_keys', keys);
  writeFileSync(file, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600 });
  // The mode above applies to new files only.
  chmodSync(file, 0o600);
}

async function isInForce(db: Queries, key: string): Promise<boolean> {
  return (
    (await db.query('SELECT 1 AS yes FROM api_keys WHERE key_hash = $1 AND revoked_at IS NULL', [hashKey(key)]))
      .length > 0
  );
}

function readFile(file: string): unknown {
  try {
    const kept = parseJson(readFileSync(file, 'utf8'));
    return isObject(kept) ? kept : undefined;
  } catch {
    return undefined;
  }
}

/** The name of the setting that holds the ids of an environment's first keys. */
export function idsOf(environment: Environment): string {
  return `first_key_ids_${environment}`;
}
