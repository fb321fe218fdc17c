import { isObject, own } from '../../wire/json.ts';
import { escapeMarkup } from './svg.ts';

/** Renders a JSON Schema as nested lists of fields. Optional ones are marked with `?`. */
export function schemaMarkup(schema: unknown): string {
  const reference = own(schema, '$ref');
  if (typeof reference === 'string') {
    const name = reference.slice(reference.lastIndexOf('/') + 1);
    return `<a href="#${name}">${escapeMarkup(name)}</a>${note(schema)}`;
  }
  const choices = own(schema, 'oneOf') ?? own(schema, 'anyOf');
  if (Array.isArray(choices))
    return `<i>one of</i><ul>${choices.map((choice: unknown) => `<li>${schemaMarkup(choice)}</li>`).join('')}</ul>`;
  const items = own(schema, 'items');
  if (items !== undefined) return `<i>list${limits(schema)} of</i> ${schemaMarkup(items)}${note(schema)}`;
  const properties = own(schema, 'properties');
  if (isObject(properties)) return `<i>object</i>${note(schema)}${fields(properties, own(schema, 'required'))}`;
  const values = own(schema, 'additionalProperties');
  if (isObject(values)) return `<i>object by name of</i> ${schemaMarkup(values)}${note(schema)}`;
  return `<i>${escapeMarkup(typeOf(schema))}</i>${note(schema)}`;
}

function fields(properties: Readonly<Record<string, unknown>>, required: unknown): string {
  const rows = Object.entries(properties).map(([name, schema]) => {
    const isRequired = Array.isArray(required) && required.includes(name);
    return `<li><code>${escapeMarkup(name)}${isRequired ? '' : '?'}</code> ${schemaMarkup(schema)}</li>`;
  });
  return `<ul>${rows.join('')}</ul>`;
}

function typeOf(schema: unknown): string {
  const constant = own(schema, 'const');
  if (constant !== undefined) return JSON.stringify(constant);
  const values = own(schema, 'enum');
  if (Array.isArray(values)) return values.join(' | ');
  const type = own(schema, 'type');
  const format = own(schema, 'format');
  const name = Array.isArray(type) ? type.join(' or ') : type === undefined ? 'anything' : shown(type);
  return `${name}${typeof format === 'string' ? ` (${format})` : ''}${limits(schema)}${defaultOf(schema)}`;
}

function limits(schema: unknown): string {
  const least = own(schema, 'minimum') ?? own(schema, 'minItems');
  const most = own(schema, 'maximum') ?? own(schema, 'maxItems');
  if (most === undefined) return '';
  return `, ${shown(least ?? 0)} to ${shown(most)}`;
}

function defaultOf(schema: unknown): string {
  const value = own(schema, 'default');
  return value === undefined ? '' : `, default ${shown(value)}`;
}

function note(schema: unknown): string {
  const description = own(schema, 'description');
  return typeof description === 'string'
    ? ` <small>${escapeMarkup(description).replaceAll(/`([^`]+)`/g, '<code>$1</code>')}</small>`
    : '';
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
