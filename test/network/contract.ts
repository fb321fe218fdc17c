import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { isObject } from '../../src/wire/json.ts';
import { CONTRACT } from '../../src/network/openapi.ts';

const FORMATS = {
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  date: /^\d{4}-\d\d-\d\d$/,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/,
  uri: (text: string): boolean => /^https?:/.test(text) && URL.canParse(text),
};

const ajv = new Ajv2020({ strict: false, allErrors: true, formats: FORMATS });
ajv.addSchema({ $id: 'closed', components: closed(CONTRACT.components) });
ajv.addSchema({ $id: 'open', components: CONTRACT.components });
const validators = new Map<string, ValidateFunction>();

/**
 * Throws unless the contract allows this response: its status, its body, and no undocumented fields. A body that the
 * network accepted must be one that the contract describes, too; the Recommendations API ignores malformed optional fields.
 */
export async function expectContract(
  call: { method: string; path: string; body?: unknown },
  response: Response,
): Promise<void> {
  const { method, path } = { ...call, method: call.method.toLowerCase() };
  const template = templateOf(new URL(path, 'http://network.test').pathname);
  const operation = template && CONTRACT.paths[template]?.[method];
  const where = `${call.method} ${path} → ${response.status}`;
  // The tests of each surface check the errors of unknown paths and methods.
  if (!operation) return;
  const answer = dig(operation, 'responses', String(response.status));
  if (!answer) throw new Error(`${where}: the contract has no such answer. ${await response.clone().text()}`);
  const body = dig(operation, 'requestBody', 'content', 'application/json', 'schema');
  const isLenient = JSON.stringify(dig(operation, 'tags')) === '["Recommendations"]';
  if (body !== undefined && !isLenient && response.ok) {
    const validate = validatorOf(`${method} ${template} request`, body, 'open');
    const text = typeof call.body === 'string' ? call.body : JSON.stringify(call.body);
    // The network ignores these two names, whatever they hold.
    const sent: unknown = JSON.parse(text, (name, value: unknown) =>
      /^(__proto__|constructor)$/.test(name) ? undefined : value,
    );
    if (!validate(sent))
      throw new Error(`${where}: the network accepted what the contract refuses. ${ajv.errorsText(validate.errors)}`);
  }
  const schema = dig(answer, 'content', 'application/json', 'schema');
  const text = await response.clone().text();
  if (schema === undefined) {
    const isOther = dig(answer, 'content') !== undefined;
    if (text !== '' && !isOther) throw new Error(`${where}: the contract has no body here, but this came: ${text}`);
    return;
  }
  const validate = validatorOf(`${method} ${template} ${response.status}`, schema);
  if (!validate(JSON.parse(text)))
    throw new Error(`${where}: ${ajv.errorsText(validate.errors)} in ${text.slice(0, 1000)}`);
}

/** The path of the contract that matches a path; `{names}` match one segment. */
export function templateOf(path: string): string | undefined {
  const templates = Object.keys(CONTRACT.paths);
  return (
    templates.find((template) => template === path) ??
    templates.find((template) =>
      new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+').replaceAll('.', '\\.')}$`).test(path),
    )
  );
}

function validatorOf(name: string, schema: unknown, document: 'open' | 'closed' = 'closed'): ValidateFunction {
  const known = validators.get(name);
  if (known) return known;
  const shape = document === 'closed' ? closed(schema) : schema;
  const validate = ajv.compile(pointedAt(shape, document) as object);
  validators.set(name, validate);
  return validate;
}

/** The schema with references into the document with the named schemas. */
function pointedAt(value: unknown, document: string): unknown {
  if (Array.isArray(value)) return value.map((child) => pointedAt(child, document));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [
      key,
      key === '$ref' ? `${document}${String(child)}` : pointedAt(child, document),
    ]),
  );
}

/** The schema without undocumented fields, which the network must not send because callers may not rely on them. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (!isObject(value)) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, child]) => [key, closed(child)]));
  const isShape =
    value['type'] === 'object' && isObject(value['properties']) && value['additionalProperties'] === undefined;
  return isShape ? { ...copy, additionalProperties: false } : copy;
}

function dig(value: unknown, ...path: string[]): unknown {
  return path.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), value);
}
