import { isObject, type JsonObject } from '../../wire/json.ts';

/** Replaces a value that could identify a person. */
export const MASK = '•••';

/** Fields of a request whose values say nothing about a person. */
const UNMASKED: Readonly<Record<string, readonly string[]>> = {
  placement_details: ['view', 'display_mode', 'widget_id', 'sub_view'],
  custom_metadata: ['is_sandbox'],
};

/** Masks every value of a recommendations request that could identify a person; the field names stay. */
export function maskRequest(body: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(body).map(([field, value]) => [field, maskField(value, UNMASKED[field] ?? [])]),
  );
}

function maskField(value: unknown, unmasked: readonly string[]): unknown {
  if (!isObject(value)) return maskAll(value);
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, unmasked.includes(name) ? part : maskAll(part)]),
  );
}

function maskAll(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(maskAll);
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, maskAll(part)]));
  return value === undefined || value === null ? value : MASK;
}

/** Returns a URL without what may identify an order or a person: query, fragment, path segments with a digit or an @. */
export function maskUrl(href: string): string {
  const { origin, pathname } = new URL(href);
  const segments = pathname.split('/').map((segment) => (/[\d@]/.test(segment) ? '…' : segment));
  return origin + segments.join('/');
}
