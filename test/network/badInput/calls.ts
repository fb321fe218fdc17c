import { randomUUID } from 'node:crypto';
import { CONTRACT } from '../../../src/network/openapi.ts';
import { isObject, own } from '../../../src/wire/json.ts';
import { event, NOW, type TestNetwork } from '../testNetwork.ts';

/** A call with a valid body. */
export interface BodyCall {
  readonly method: string;
  readonly path: string;
  /** The kind of key that it needs; none for controls. */
  readonly key: 'management' | 'integration' | undefined;
  readonly body: unknown;
  /** Undoes what an accepted body may have changed for later calls. */
  undo?(): Promise<unknown>;
}

/** Every call with a body except the reset, with every field that the contract has for it. */
export async function bodyCalls(world: TestNetwork): Promise<BodyCall[]> {
  const { keys, publisher } = world.network.describe();
  const { publisher_remote_id } = publisher;
  const { body } = await world.call('GET', '/adnet/adconfig/categories/', { key: keys.management ?? '' });
  const [category] = body.categories;
  const subcategory_id: string = category.subcategories[0].remote_id;
  const offerId = await world.offer();
  const { conversion_properties: _, ...conversion } = event('CONVERSION', await world.session());
  /** What a field must be for the whole to be valid, by its name. */
  const values: Readonly<Record<string, unknown>> = {
    ...conversion,
    initiating_target: 'INLINE_ACTION_BUTTON',
    user_details: { email: 'jane.doe@example.com' },
    quantity: '2',
    currency_code: 'EUR',
    is_sandbox: false,
    publisher_remote_id,
    primary_category_id: category.remote_id,
    subcategory_id,
    subcategory_ids: [subcategory_id],
    domain: `${randomUUID()}.example`,
    kind: 'integration',
    status: 'APPROVED',
    metadata: { type: 'PROMO_CODE', code: 'POT' },
    enabled_metrics: ['clicks', 'ctr'],
  };
  const undo = (path: string, fields: object): (() => Promise<unknown>) | undefined => {
    if (path === '/sandbox/clock') return () => world.control('POST', path, { now: NOW });
    if (path === '/sandbox/faults') return () => world.control('DELETE', path);
    const defaults = Object.fromEntries(Object.keys(fields).map((name) => [name, null]));
    return path === '/sandbox/settings' ? () => world.control('PUT', path, defaults) : undefined;
  };
  return Object.entries(CONTRACT.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const schema = own(own(own(own(operation, 'requestBody'), 'content'), 'application/json'), 'schema');
      if (schema === undefined || path === '/sandbox/reset') return [];
      const whole = Object(filled(schema, values)) as object;
      return {
        method: method.toUpperCase(),
        path: path.replace(/\{\w+\}/, path.startsWith('/sandbox/offers') ? offerId : publisher_remote_id),
        key: path.startsWith('/sandbox') ? undefined : path.startsWith('/adnet') ? 'management' : 'integration',
        body: whole,
        undo: undo(path, whole),
      } as BodyCall;
    }),
  );
}

const TEXTS: Readonly<Record<string, string>> = {
  'date-time': NOW,
  date: '2025-08-01',
  '^/': '/nowhere',
  8192: 'https://teapots.example/',
};

/** A value for a schema with all that it may have; a value that is known by the name of the field where it is of the schema's type. */
function filled(schema: unknown, values: Readonly<Record<string, unknown>>, name = ''): unknown {
  const part = Object(schema) as Readonly<Record<string, unknown>>;
  const { $ref: reference, anyOf, enum: choices, properties, items, additionalProperties } = part;
  if (typeof reference === 'string')
    return filled(own(CONTRACT.components.schemas, reference.split('/').at(-1) ?? ''), values, name);
  if (Array.isArray(anyOf)) return filled(anyOf[0], values, name);
  const type: unknown = [part['type']].flat()[0];
  const known = values[name];
  if (known !== undefined && (Array.isArray(known) ? 'array' : typeof known) === type) return known;
  if (Array.isArray(choices)) return choices[0];
  if (type === 'array') return [filled(items, values)];
  if (isObject(additionalProperties)) return { 'retry-after': filled(additionalProperties, values) };
  if (type === 'object')
    return Object.fromEntries(
      Object.entries(Object(properties)).map(([field, of]) => [field, filled(of, values, field)]),
    );
  if (type === 'boolean') return true;
  if (type === 'number') return 0.5;
  if (type === 'integer') return Math.max(1, Number(part['minimum']));
  return TEXTS[String(part['format'] ?? part['pattern'] ?? part['maxLength'])] ?? 'x';
}
