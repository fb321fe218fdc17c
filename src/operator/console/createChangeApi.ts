import type { ChannelClient } from '../clients/ChannelClient.ts';
import {
  listOf,
  type Change,
  type ChangeLog,
  type LoggedChange,
  changesOf,
  changesToTakeBack,
  isSameList,
} from '../changeLog.ts';
import type { ConsoleAdded, ConsoleChanges } from './protocol.ts';
import type { PublisherItem } from '../../wire/channel.ts';
import { isObject, own, parseJson, readCappedText } from '../../wire/json.ts';
import { CHANNEL_BODY_MAX_BYTES } from '../../wire/limits.ts';

/** Where changes are made and logged. */
export interface ChangeApiOptions extends Pick<Change, 'network' | 'environment'> {
  /** Undefined: nothing is logged. */
  readonly log: ChangeLog | undefined;
}

/** A change, without where it is made. */
type MadeChange = Omit<Change, 'network' | 'environment' | 'channel'>;

/** Changes on the page: a log grows for years. */
const CHANGES_MAX = 200;

/** Creates the calls that change the channel, and those about its log of changes. */
export function createChangeApi(
  channel: ChannelClient,
  { network, environment, log }: ChangeApiOptions,
): {
  add(items: readonly PublisherItem[]): Promise<ConsoleAdded>;
  remove(id: string): Promise<unknown>;
  exclude(change: Excluded): Promise<unknown>;
  list(): Promise<unknown>;
  undo(body: unknown, signal: AbortSignal): Promise<unknown>;
} {
  /** Makes a change, and has it logged. */
  async function record<Result>(change: MadeChange, make: () => Promise<Result>): Promise<Result> {
    if (!log) return make();
    const { name } = await channel.details();
    return log.record({ ...change, network, environment, channel: name }, make);
  }

  async function readChanges({ read }: ChangeLog): Promise<LoggedChange[]> {
    return changesOf(read(), { network, channel: (await channel.details()).name });
  }

  /** Changes nothing when the list is no longer the one that the page showed: the API replaces it whole, so somebody else's change would be lost. */
  async function exclude(change: Excluded): Promise<unknown> {
    const { publisher: id, subcategory_ids: after, base, signal, undoes } = change;
    const one = id === undefined ? undefined : await channel.publisher(id, { signal });
    const before = one
      ? one.exclusions.subcategories.publisher
      : (await channel.details({ signal })).exclusions.subcategories.channel;
    if (!isSameList(before, base))
      return json({ code: 'changed', message: 'Somebody has changed these exclusions meanwhile.' }, 409);
    const publisher = id === undefined ? null : { id, name: one?.brand_name ?? id };
    const made = { action: 'exclusions', publisher, before, after, ...(undoes !== undefined && { undoes }) } as const;
    await record(made, () =>
      id === undefined ? channel.setChannelExclusions(after) : channel.setPublisherExclusions(id, after),
    );
    return { ok: true };
  }

  return {
    async add(items) {
      const change = { action: 'publishers added', publisher: null, before: null, after: items } as const;
      return { results: await record(change, () => channel.add(items)) };
    },
    async remove(id) {
      const name = log ? (await channel.publisher(id)).brand_name : '';
      const before = { publisher_remote_id: id, brand_name: name };
      await record({ action: 'publisher removed', publisher: { id, name }, before, after: null }, () =>
        channel.remove(id),
      );
      return { ok: true };
    },
    exclude,
    async list() {
      if (!log) return noSuchCall();
      const all = await readChanges(log);
      const open = changesToTakeBack(all);
      const changes = all.slice(-CHANGES_MAX).toReversed();
      return {
        path: log.path,
        count: all.length,
        changes: changes.map((change) => ({ ...change, canUndo: open.has(change.id) })),
      } satisfies ConsoleChanges;
    },
    async undo(body, signal) {
      const id = text(body, 'id');
      const all = log ? await readChanges(log) : [];
      const change = all.find((one) => one.action === 'exclusions' && one.id === id);
      if (!change) return noSuchCall();
      return exclude({
        publisher: change.publisher?.id,
        subcategory_ids: listOf(change.before),
        base: listOf(change.after),
        signal,
        undoes: id,
      });
    },
  };
}

/** A list of exclusions that is replaced. */
interface Excluded extends ExclusionChange {
  /** Whose list; undefined for the whole channel. */
  readonly publisher: string | undefined;
  readonly signal: AbortSignal;
  readonly undoes?: string | undefined;
}

/** The items of POST publishers, with these fields and no others. */
export function readItems(body: unknown): PublisherItem[] {
  const items = own(body, 'items');
  if (!Array.isArray(items)) throw new TypeError('items is missing.');
  return items.map((item: unknown) => ({
    brand_name: text(item, 'brand_name'),
    domain: text(item, 'domain'),
    primary_category_id: text(item, 'primary_category_id'),
    subcategory_ids: texts(item, 'subcategory_ids'),
  }));
}

/** A change of exclusions that was made on a page. */
export interface ExclusionChange {
  /** The new list. */
  readonly subcategory_ids: readonly string[];
  /** The list that the page showed. */
  readonly base: readonly string[];
}

/** The body of PUT exclusions. */
export function readExclusionChange(body: unknown): ExclusionChange {
  return { subcategory_ids: texts(body, 'subcategory_ids'), base: texts(body, 'base') };
}

function text(value: unknown, name: string): string {
  const found = own(value, name);
  if (typeof found !== 'string') throw new TypeError(`${name} must be a text.`);
  return found;
}

function texts(value: unknown, name: string): string[] {
  const found: unknown = isObject(value) ? own(value, name) : undefined;
  if (!Array.isArray(found) || !found.every((id): id is string => typeof id === 'string'))
    throw new TypeError(`${name} must be a list of texts.`);
  return found;
}

/** Reads a JSON body. Throws a TypeError when it is too large or not JSON. */
export async function readBody(request: Request): Promise<unknown> {
  if (!request.headers.get('content-type')?.startsWith('application/json'))
    throw new TypeError('The body must be JSON.');
  const text = await readCappedText(request, CHANNEL_BODY_MAX_BYTES);
  if (text === undefined) throw new TypeError('The body is too large.');
  const json = parseJson(text);
  if (json === undefined) throw new TypeError('The body is not JSON.');
  return json;
}

/** A response with a body of JSON. */
export function json(body: unknown, status = 200): Response {
  return Response.json(body, { status });
}

/** For a path that this console does not have. */
export function noSuchCall(): Response {
  return json({ code: 'not_found', message: 'This call does not exist.' }, 404);
}
