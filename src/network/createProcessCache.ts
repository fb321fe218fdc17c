import { randomUUID } from 'node:crypto';
import { own } from '../wire/json.ts';
import type { Queries } from './database/database.ts';
import { writeSetting } from './settings.ts';

/**
 * What one process caches between requests. Only a network that is alone on its database (the embedded one) caches what can
 * change. Where several networks share a database, each request reads it again, so that all of them refuse a revoked key
 * at once.
 */
export interface ProcessCache {
  /**
   * The result of `read`, or of an earlier one since the last `clear`. Where several networks share the database, of one that
   * began after this call.
   */
  untilCleared<T>(name: string, read: () => Promise<T>): Promise<T>;
  /** The same for what never changes once it exists: every network caches it, and `clear` keeps it. */
  forever<T>(name: string, read: () => Promise<T | undefined>): Promise<T | undefined>;
  /**
   * The same for what has a version, which every request reads: an earlier result if it was read at this version. Every network
   * caches it.
   */
  atVersion<T>(name: string, version: string, read: () => Promise<Versioned<T>>): Promise<T>;
  /** Drops what can change without a version. Called before and after each request that may change it. */
  clear(): void;
}

/** A value and its version, which one statement has read: two could see different nodes or times. */
export interface Versioned<T> {
  readonly version: string;
  readonly value: T;
}

/** Entries per process; above that the cache starts over. */
const MAX_ENTRIES = 20_000;

/** A cache for a process that is alone on its database, or for one that shares it. */
export function createProcessCache(isAlone: boolean): ProcessCache {
  const changing: Entries = new Map();
  const constant: Entries = new Map();
  const shared: Entries = new Map();
  const versioned: VersionedEntries = new Map();
  return {
    untilCleared: (name, read) => (isAlone ? cached(changing, name, read) : together(shared, name, read)),
    forever: (name, read) => cached(constant, name, read, (value) => value !== undefined),
    atVersion: (name, version, read) => atVersion(versioned, { name, version, read }),
    clear: () => changing.clear(),
  };
}

type VersionedEntries = Map<string, { version: string; readonly reading: Promise<Versioned<unknown>> }>;

async function atVersion<T>(
  entries: VersionedEntries,
  { name, version, read }: { name: string; version: string; read: () => Promise<Versioned<T>> },
): Promise<T> {
  const found = entries.get(name);
  if (found?.version === version) return (await found.reading).value as T;
  if (entries.size >= MAX_ENTRIES) entries.clear();
  const entry = { version, reading: read() };
  entries.set(name, entry);
  try {
    const result = await entry.reading;
    // It may be of another version by now, or of an earlier one on a node that is behind. Then the next request reads again.
    entry.version = result.version;
    return result.value;
  } catch (error) {
    if (entries.get(name) === entry) entries.delete(name);
    throw error;
  }
}

/**
 * Reads once for all calls that come while a read of the same name is in progress. That one may have missed what happened
 * since it began, such as a revocation, so they get the next.
 */
function together<T>(entries: Entries, name: string, read: () => Promise<T>): Promise<T> {
  const next = `next ${name}`;
  const waiting = entries.get(next);
  if (waiting) return waiting as Promise<T>;
  const running = entries.get(name);
  const start = (): Promise<T> => {
    entries.delete(next);
    const reading = read();
    entries.set(name, reading);
    const end = (): void => void (entries.get(name) === reading && entries.delete(name));
    reading.then(end, end);
    return reading;
  };
  if (!running) return start();
  const following = running.then(start, start);
  entries.set(next, following);
  return following;
}

type Entries = Map<string, Promise<unknown>>;

function cached<T>(
  entries: Entries,
  name: string,
  read: () => Promise<T>,
  isWorthKeeping: (value: T) => boolean = () => true,
): Promise<T> {
  const found = entries.get(name);
  if (found) return found as Promise<T>;
  if (entries.size >= MAX_ENTRIES) entries.clear();
  // The promise is cached, not its value: `clear` also drops a read that is still in progress.
  const reading = read();
  entries.set(name, reading);
  const drop = (): void => void (entries.get(name) === reading && entries.delete(name));
  reading.then((value) => isWorthKeeping(value) || drop(), drop);
  return reading;
}

/**
 * What processes cache, each with a version that changes with it. catalogue: offers and advertisers; budgets: which offers
 * have spent theirs; publishers: which are approved, and what they exclude.
 */
const VERSIONED = ['catalogue', 'budgets', 'publishers'] as const;
type VersionedName = (typeof VERSIONED)[number];
export type Versions = Readonly<Record<VersionedName, string>>;

/** The settings that hold the versions. */
export const VERSION_NAMES: readonly string[] = VERSIONED.map(versionName);

/** The name of the setting that holds a version. */
function versionName(name: VersionedName): string {
  return `${name}_version`;
}

/** A statement's column with a version, for the statement that reads what has it. */
export function versionColumn(name: VersionedName): string {
  return `(SELECT value #>> '{}' FROM settings WHERE name = '${versionName(name)}') AS version`;
}

/** The version of what never changed. */
export const FIRST_VERSION = '00000000-0000-0000-0000-000000000000';

/** Reads the versions from settings by name. */
export function readVersions(settings: unknown): Versions {
  const versionOf = (name: VersionedName): string => {
    const version = own(settings, versionName(name));
    return typeof version === 'string' ? version : FIRST_VERSION;
  };
  return { catalogue: versionOf('catalogue'), budgets: versionOf('budgets'), publishers: versionOf('publishers') };
}

/**
 * Makes every process read something again. Call it in the transaction of the change, after its other statements: the row is
 * locked until it ends. A new version is never an old one again, even after a reset.
 */
export async function markChanged(db: Queries, ...names: readonly VersionedName[]): Promise<void> {
  for (const name of names) await writeSetting(db, versionName(name), randomUUID());
}

/** Marks everything as changed. */
export async function markAllChanged(db: Queries): Promise<void> {
  await markChanged(db, ...VERSIONED);
}
