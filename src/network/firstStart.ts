import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { isObject, own, parseJson } from '../wire/json.ts';
import type { Environment } from '../wire/keys.ts';
import { hashKey } from './context.ts';
import type { Database, Queries } from './database/database.ts';
import { runSetupExclusively, SHARDED_TABLES, REFERENCE_TABLES } from './database/schema.ts';
import { seed, type SeedKind } from './seed/seed.ts';
import { readSetting, writeSetting } from './settings.ts';
import { refuseProductionData, createKey, revokeKey } from './storedKeys.ts';

/** What the first line of `--json` says, without the URL. */
export interface Description {
  readonly environment: Environment;
  /** In production empty, except at the start that issued them. */
  readonly keys: Partial<FirstKeys>;
  readonly channel: { readonly name: string };
  readonly publisher: { readonly publisher_remote_id: string; readonly brand_name: string };
}

/** How to start a network. */
export interface StartOptions {
  readonly environment: Environment;
  readonly seed: SeedKind;
  readonly now: Date;
  readonly showKeys: boolean;
  readonly keyPlace: KeyPlace;
  readonly onProgress: (text: string) => void;
}

/** Seeds an empty database, and finds or issues the first keys. One process at a time. */
export function firstStart(db: Database, options: StartOptions): Promise<Description> {
  return runSetupExclusively(db, async (transaction) => {
    const known = await readSetting(transaction, 'first');
    const first = isObject(known) ? known : await seedFirst(transaction, options);
    return describe(
      transaction,
      { channel_id: String(first['channel_id']), publisher_remote_id: String(first['publisher_remote_id']) },
      options,
    );
  });
}

/** Empties the database except for its clock and seeds it again. The first keys stay the same, so that their holders can continue. Throws a `ProductionDataError` if a production network shares it. */
export function startOver(db: Database, options: StartOptions): Promise<Description> {
  return runSetupExclusively(db, async (transaction) => {
    await refuseProductionData(transaction);
    const keys = await readFirstKeys(transaction, options.keyPlace);
    const clock = await readSetting(transaction, 'clock');
    await transaction.exec(`TRUNCATE ${[...SHARDED_TABLES, ...REFERENCE_TABLES].join(', ')}`);
    await writeSetting(transaction, 'clock', clock ?? undefined);
    const first = await seedFirst(transaction, options);
    const issued = await issueFirstKeys(transaction, first, {
      environment: options.environment,
      ...(keys ? { keys } : {}),
    });
    await storeFirstKeys(transaction, issued, options.keyPlace);
    return { ...(await readNames(transaction, first)), environment: options.environment, keys: issued };
  });
}

async function seedFirst(db: Queries, options: StartOptions): Promise<FirstOwner & Record<string, unknown>> {
  const { channel, publisher } = await seed(db, {
    kind: options.seed,
    now: options.now,
    environment: options.environment,
    onProgress: options.onProgress,
  });
  const first = { channel_id: channel.channel_id, publisher_remote_id: publisher.publisher_remote_id };
  await writeSetting(db, 'first', first);
  return first;
}

async function describe(db: Queries, first: FirstOwner, options: StartOptions): Promise<Description> {
  const names = await readNames(db, first);
  const { environment, keyPlace } = options;
  if (environment === 'staging') {
    const kept = await readFirstKeys(db, keyPlace);
    const keys = kept ?? (await issueFirstKeys(db, first, { environment }));
    if (!kept) await storeFirstKeys(db, keys, keyPlace);
    return { ...names, environment, keys };
  }
  const wereIssued = (await readSetting(db, keyIdsSetting(environment))) !== undefined;
  const keys = wereIssued && !options.showKeys ? {} : await issueFirstKeys(db, first, { environment });
  return { ...names, environment, keys };
}

async function readNames(db: Queries, first: FirstOwner): Promise<Pick<Description, 'channel' | 'publisher'>> {
  const [row] = await db.query<{ name: string; brand_name: string | null }>(
    `SELECT name, (SELECT brand_name FROM publishers WHERE publisher_remote_id = $2) AS brand_name FROM channels WHERE channel_id = $1`,
    [first.channel_id, first.publisher_remote_id],
  );
  return {
    channel: { name: row?.name ?? '' },
    publisher: { publisher_remote_id: first.publisher_remote_id, brand_name: row?.brand_name ?? '' },
  };
}

/** The kinds of keys for the first channel and its first publisher. */
const FIRST_KEY_KINDS = ['management', 'publishable', 'publisher_reporting', 'integration'] as const;
type FirstKeyKind = (typeof FIRST_KEY_KINDS)[number];
type FirstKeys = Readonly<Record<FirstKeyKind, string>>;

/** Where a staging network stores its readable keys: in a file beside the data, or in the database if there is no directory. */
interface KeyPlace {
  readonly file?: string;
}

/** The owner of the first keys. */
interface FirstOwner {
  readonly channel_id: string;
  readonly publisher_remote_id: string;
}

/** Issues first keys to an owner: new ones, or the given ones again. Revokes all earlier first keys. */
async function issueFirstKeys(
  db: Queries,
  owner: FirstOwner,
  options: { environment: Environment; keys?: FirstKeys },
): Promise<FirstKeys> {
  const old = await readSetting(db, keyIdsSetting(options.environment));
  for (const id of Array.isArray(old) ? old : [])
    await revokeKey(db, { id: String(id), issuedIn: options.environment });
  const { keys, ids } = await issueTenantKeys(db, owner, { ...options, issuedIn: options.environment });
  await writeSetting(db, keyIdsSetting(options.environment), ids);
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
async function readFirstKeys(db: Queries, { file }: KeyPlace): Promise<FirstKeys | undefined> {
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
async function storeFirstKeys(db: Queries, keys: FirstKeys, { file }: KeyPlace): Promise<void> {
  if (file === undefined) return writeSetting(db, 'first_keys', keys);
  // A new file takes the place of the old one: whatever had that one open, or linked it elsewhere, gets nothing.
  const temporary = `${file}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    writeFileSync(temporary, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
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
function keyIdsSetting(environment: Environment): string {
  return `first_key_ids_${environment}`;
}
