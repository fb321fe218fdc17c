import { isObject } from '../../wire/json.ts';
import type { Environment } from '../../wire/keys.ts';
import type { Database, Queries } from '../database/database.ts';
import { runSetupExclusively } from '../database/schema.ts';
import { SHARDED_TABLES, REFERENCE_TABLES } from '../database/schema.ts';
import { refuseProductionData } from '../keys/refuseProductionData.ts';
import { seed, type SeedKind } from '../seed/seed.ts';
import { readSetting, writeSetting } from '../settings/settings.ts';
import {
  idsOf,
  issueFirstKeys,
  storeFirstKeys,
  readFirstKeys,
  type FirstKeys,
  type FirstOwner,
  type KeyPlace,
} from './firstKeys.ts';

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
    return { ...(await nameOf(transaction, first)), environment: options.environment, keys: issued };
  });
}

async function seedFirst(db: Queries, options: StartOptions): Promise<FirstOwner & Record<string, unknown>> {
  const { channel, publisher } = await seed(db, {
    kind: options.seed,
    now: options.now,
    environment: options.environment,
  });
  const first = { channel_id: channel.channel_id, publisher_remote_id: publisher.publisher_remote_id };
  await writeSetting(db, 'first', first);
  return first;
}

async function describe(db: Queries, first: FirstOwner, options: StartOptions): Promise<Description> {
  const names = await nameOf(db, first);
  const { environment, keyPlace } = options;
  if (environment === 'staging') {
    const kept = await readFirstKeys(db, keyPlace);
    const keys = kept ?? (await issueFirstKeys(db, first, { environment }));
    if (!kept) await storeFirstKeys(db, keys, keyPlace);
    return { ...names, environment, keys };
  }
  const wereIssued = (await readSetting(db, idsOf(environment))) !== undefined;
  const keys = wereIssued && !options.showKeys ? {} : await issueFirstKeys(db, first, { environment });
  return { ...names, environment, keys };
}

async function nameOf(db: Queries, first: FirstOwner): Promise<Pick<Description, 'channel' | 'publisher'>> {
  const [row] = await db.query<{ name: string; brand_name: string | null }>(
    `SELECT name, (SELECT brand_name FROM publishers WHERE publisher_remote_id = $2) AS brand_name FROM channels WHERE channel_id = $1`,
    [first.channel_id, first.publisher_remote_id],
  );
  return {
    channel: { name: row?.name ?? '' },
    publisher: { publisher_remote_id: first.publisher_remote_id, brand_name: row?.brand_name ?? '' },
  };
}
