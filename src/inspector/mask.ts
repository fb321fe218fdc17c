import { isObject, type JsonObject } from '../wire/json.ts';

/** What stands where a value was. */
export const MASK = '•••';

/** Fields of a question whose values say nothing about a person. */
const OPEN: Readonly<Record<string, readonly string[]>> = {
  placement_details: ['view', 'display_mode', 'widget_id', 'sub_view'],
  custom_metadata: ['is_sandbox'],
};

/** A question with every value masked that could be about a person; its names stay. */
export function maskQuestion(body: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(body).map(([field, value]) => [field, maskField(value, OPEN[field] ?? [])]));
}

function maskField(value: unknown, open: readonly string[]): unknown {
  if (!isObject(value)) return maskAll(value);
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, open.includes(name) ? part : maskAll(part)]),
  );
}

function maskAll(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(maskAll);
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, maskAll(part)]));
  return value === undefined || value === null ? value : MASK;
}

/** An address without what may name an order or a person: no query, no fragment, no part with a digit or an at sign. */
export function maskAddress(href: string): string {
  const { origin, pathname } = new URL(href);
  const parts = pathname.split('/').map((part) => (/[\d@]/.test(part) ? '…' : part));
  return origin + parts.join('/');
}
