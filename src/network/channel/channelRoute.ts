import { authenticate, type NetworkContext, type NetworkRoute, readJson, type RouteParams } from '../context.ts';
import { CHANNEL_BODY_MAX_BYTES } from '../../wire/limits.ts';
import { type JsonObject, isObject, readUuid } from '../../wire/json.ts';
import type { Category, Subcategory } from '../../wire/channel.ts';
import { type Queries } from '../database/database.ts';

/** A request to the Channel API. The channel is that of the key. */
export interface ChannelCall {
  readonly request: Request;
  readonly context: NetworkContext;
  readonly params: RouteParams;
  readonly channelId: string;
  /** The only publisher that the key may see: the owner of a publishable key. `null` for the channel's own keys. */
  readonly publisherId: string | null;
}

/** Returns a route of the Channel API. The key is checked first; a publishable key can only read. */
export function channelRoute(
  method: string,
  pattern: string,
  handle: (call: ChannelCall) => Promise<Response>,
): NetworkRoute {
  return {
    methods: [method],
    pattern,
    surface: 'channel',
    async handler(request, context, params) {
      const caller = await authenticate(request, context, ['management', 'publishable']);
      if (!caller.ok) return Response.json({ detail: caller.message }, { status: 401 });
      if (caller.key.kind === 'publishable' && method !== 'GET')
        return Response.json({ detail: READ_ONLY }, { status: 403 });
      const { channel_id: channelId, publisher_id: publisherId } = caller.key;
      return handle({ request, context, params, channelId, publisherId });
    },
  };
}

const READ_ONLY = 'A publishable key can only read. Use the secret management key for changes.';

/** Reads the body as a JSON object, or returns the response that refuses it. */
export async function readObject(
  request: Request,
): Promise<{ ok: true; value: JsonObject } | { ok: false; refusal: Response }> {
  const body = await readJson(request, CHANNEL_BODY_MAX_BYTES);
  if (!body.ok && body.status === 413)
    return { ok: false, refusal: Response.json({ detail: body.message }, { status: 413 }) };
  if (!body.ok) return { ok: false, refusal: badFields({ non_field_errors: [body.message] }) };
  if (!isObject(body.json))
    return { ok: false, refusal: badFields({ non_field_errors: ['The body must be a JSON object.'] }) };
  return { ok: true, value: body.json };
}

/** A 400 of the Channel API: messages by field (docs/project/wire.md#errors). */
export function badFields(fields: Readonly<Record<string, readonly string[]>>): Response {
  return Response.json(fields, { status: 400 });
}

/** The 404 of a publisher. It is the same for unknown, removed and other channels' publishers. */
export function publisherNotFound(): Response {
  return Response.json({ error: 'Publisher not found for this channel.' }, { status: 404 });
}

/** GET categories. */
export async function getCategories({ context }: ChannelCall): Promise<Response> {
  return Response.json({ categories: await readCategories(context.db) });
}

/** Returns every category with its subcategories, both sorted by name. */
export async function readCategories(db: Queries): Promise<Category[]> {
  const categories = await db.query<Subcategory>('SELECT remote_id, name FROM categories');
  const children = await db.query<Subcategory & { category_id: string }>(
    'SELECT remote_id, name, category_id FROM subcategories',
  );
  return categories.toSorted(byName).map(({ remote_id, name }) => ({
    remote_id,
    name,
    subcategories: children
      .filter(({ category_id }) => category_id === remote_id)
      .toSorted(byName)
      .map((child) => ({ remote_id: child.remote_id, name: child.name })),
  }));
}

/** Case-insensitive, then by code point, then by id. In code, because databases differ in their collations. */
function byName(a: Subcategory, b: Subcategory): number {
  return (
    compare(a.name.toLowerCase(), b.name.toLowerCase()) || compare(a.name, b.name) || compare(a.remote_id, b.remote_id)
  );
}

/** UTF-8 bytes sort like code points. */
function compare(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** Reads a list of subcategory ids, in order and in lower case, or returns what is wrong with it. */
export function readSubcategoryIds(
  value: unknown,
  categories: readonly Category[],
): { ok: true; ids: readonly string[] } | { ok: false; messages: readonly string[] } {
  if (value === undefined || value === null)
    return refuse('This field is required. Use a list of subcategory ids, or [] for none.');
  if (!Array.isArray(value)) return refuse('Expected a list of subcategory ids.');
  const known = new Set(categories.flatMap(({ subcategories }) => subcategories.map(({ remote_id }) => remote_id)));
  const parents = new Set(categories.map(({ remote_id }) => remote_id));
  const ids: string[] = [];
  const messages: string[] = [];
  for (const [index, element] of value.entries()) {
    const id = readUuid(element);
    if (id !== undefined && known.has(id)) ids.push(id);
    else if (typeof element !== 'string') messages.push(`Item ${index}: expected the id of a subcategory as a string.`);
    else if (id !== undefined && parents.has(id))
      messages.push(`Item ${index}: ${id} is a category. Use its subcategories.`);
    else messages.push(`Item ${index}: there is no subcategory ${JSON.stringify(element.slice(0, 64))}.`);
  }
  return messages.length > 0 ? { ok: false, messages } : { ok: true, ids };
}

function refuse(message: string): { ok: false; messages: readonly string[] } {
  return { ok: false, messages: [message] };
}
