import * as v from 'valibot';
import { authenticate, type NetworkContext, type NetworkRoute, readJson, type RouteParams } from '../context.ts';
import { CHANNEL_BODY_MAX_BYTES } from '../../wire/limits.ts';
import { isObject, PROBLEMS_MAX } from '../../wire/json.ts';
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

/** Reads a body with a schema that knows the categories. Returns its value, or the response that refuses it. */
export async function readBody<Schema extends v.GenericSchema>(
  request: Request,
  db: Queries,
  schema: (categories: readonly Category[]) => Schema,
): Promise<v.InferOutput<Schema> | Response> {
  const body = await readJson(request, CHANNEL_BODY_MAX_BYTES);
  if (!body.ok && body.status === 413) return Response.json({ detail: body.message }, { status: 413 });
  if (!body.ok) return badFields({ non_field_errors: [body.message] });
  if (!isObject(body.json)) return badFields({ non_field_errors: ['The body must be a JSON object.'] });
  const read = v.safeParse(schema(await readCategories(db)), body.json);
  return read.success ? read.output : refuseIssues(read.issues);
}

/** A 400 of the Channel API: messages by field (docs/project/wire.md#errors). They name an item, and an id in a list. */
export function refuseIssues(issues: readonly v.BaseIssue<unknown>[]): Response {
  const fields: Record<string, string[]> = {};
  for (const { path = [], message } of issues) {
    const keys = path.map(({ key }) => String(key));
    const [field = ''] = keys;
    const [name, id] = field === 'items' ? keys.slice(2) : keys;
    const place = keys.length > 1 && field === 'items' ? `items[${keys[1]}]${name ? `.${name}` : ''}: ` : '';
    (fields[field] ??= []).push(`${place}${id ? `Item ${id}: ` : ''}${message}`);
  }
  return badFields(fields);
}

function badFields(fields: Readonly<Record<string, readonly string[]>>): Response {
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

/** What says that a list of subcategories' ids is missing. */
export const IDS_REQUIRED = 'This field is required. Use a list of subcategory ids, or [] for none.';

/** A list of subcategories' ids, each once, in order and in lower case. A body may have half a million wrong ones: the first are named. */
export function subcategoryIds(categories: readonly Category[]): v.GenericSchema<unknown, string[]> {
  const known = new Set(categories.flatMap(({ subcategories }) => subcategories.map(({ remote_id }) => remote_id)));
  const parents = new Set(categories.map(({ remote_id }) => remote_id));
  const whatIsWrong = (id: unknown): string | undefined => {
    if (typeof id !== 'string') return 'expected the id of a subcategory as a string.';
    if (known.has(id.toLowerCase())) return undefined;
    return parents.has(id.toLowerCase())
      ? `${id.toLowerCase()} is a category. Use its subcategories.`
      : `there is no subcategory ${JSON.stringify(id.slice(0, 64))}.`;
  };
  return v.pipe(
    v.array(v.pipe(v.unknown(), v.metadata({ type: 'string', format: 'uuid' })), ({ input }) =>
      input === null ? IDS_REQUIRED : 'Expected a list of subcategory ids.',
    ),
    v.rawTransform<unknown[], string[]>(({ dataset: { value: ids }, addIssue }) => {
      let left = PROBLEMS_MAX;
      for (const [key, value] of ids.entries()) {
        const message = whatIsWrong(value);
        if (message !== undefined)
          addIssue({ message, path: [{ type: 'array', origin: 'value', input: ids, key, value }] });
        if (message !== undefined && --left === 0) break;
      }
      return [...new Set(ids.map((id) => String(id).toLowerCase()))];
    }),
  );
}
