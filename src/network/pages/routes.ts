import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { NetworkContext, NetworkRoute, RouteParams } from '../context.ts';
import { CONTRACT, openApiYaml } from '../openapi.ts';
import { isObject, own } from '../../wire/json.ts';
import { CARD_STYLE, escapeMarkup, pageResponse } from './page.ts';
import { getLastVisit, getVisit, postVisit } from './visit.ts';

/** What people and browsers open: pictures, the landing pages of clicks, and the contract. */
export const pageRoutes: readonly NetworkRoute[] = [
  page('/logos/{name}.svg', (_request, _context, params) => getImage('logos', params)),
  page('/pictures/{name}.svg', (_request, _context, params) => getImage('pictures', params)),
  page('/visit', getLastVisit),
  page('/visit/{offer_id}', getVisit),
  { methods: ['POST'], pattern: '/visit/{offer_id}', surface: 'page', handler: postVisit },
  page('/privacy', getPrivacy),
  page(
    '/',
    renderedOnce(contractMarkup, (body) => pageResponse({ title: CONTRACT_TITLE, body, style: CONTRACT_STYLE })),
  ),
  page(
    '/openapi.yaml',
    renderedOnce(
      openApiYaml,
      (yaml) => new Response(yaml, { headers: { 'content-type': 'application/yaml; charset=utf-8' } }),
    ),
  ),
];

/** Anybody may open the contract, and writing it takes milliseconds: once for all. */
function renderedOnce(render: () => string, respond: (text: string) => Response): () => Promise<Response> {
  let text: string | undefined;
  return async () => respond((text ??= render()));
}

function page(
  pattern: string,
  handler: (request: Request, context: NetworkContext, params: RouteParams) => Promise<Response>,
): NetworkRoute {
  return { methods: ['GET', 'HEAD'], pattern, surface: 'page', handler };
}

/** A logo of an advertiser or a picture in an offer, which any page may show. The build copies the files. */
async function getImage(folder: 'logos' | 'pictures', { name = '' }: RouteParams): Promise<Response> {
  const path = join(import.meta.dirname, 'images', folder, `${name}.svg`);
  const markup = /^[a-z0-9-]+$/.test(name) ? await readFile(path, 'utf8').catch(() => undefined) : undefined;
  if (markup === undefined) return Response.json({ message: 'There is no such picture.' }, { status: 404 });
  return new Response(markup, {
    headers: {
      'content-type': 'image/svg+xml; charset=utf-8',
      // An SVG that is opened on its own is a document; it must not be able to run anything.
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'cross-origin',
      'cache-control': 'public, max-age=3600',
    },
  });
}

/** The privacy page to which the footer of the offers links. */
async function getPrivacy(): Promise<Response> {
  const body =
    '<main><h1>Privacy in the sandbox</h1>' +
    '<p>This network runs on the machine of the person who started it and sends nothing anywhere.</p>' +
    '<p>About a shopper it stores whether the request had an email address, never the address or another identifier, and the events of the session under random ids.</p>' +
    '<p class="quiet">In production, the network’s privacy policy is here.</p></main>';
  return pageResponse({ title: 'Privacy', body, style: CARD_STYLE });
}

/** The contract as a page. */
function contractMarkup(): string {
  const { info, tags, components } = CONTRACT;
  const shapes = Object.entries(components.schemas)
    .map(([name, schema]) => `<section class="shape" id="${name}"><h3>${name}</h3>${schemaMarkup(schema)}</section>`)
    .join('');
  return (
    `<nav><strong>${escapeMarkup(info.title)}</strong>${tags.map(({ name }) => `<a href="#${anchor(name)}">${escapeMarkup(name)}</a>`).join('')}` +
    '<a href="#shapes">Shapes</a><a href="/openapi.yaml">openapi.yaml</a></nav>' +
    `<main><h1>${escapeMarkup(info.title)}</h1><p>${escapeMarkup(info.description)}</p>${tags.map(tagMarkup).join('')}` +
    `<section id="shapes"><h2>Shapes</h2>${shapes}</section></main>`
  );
}

function tagMarkup(tag: { name: string; description: string }): string {
  const operations = Object.entries(CONTRACT.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => (own(operation, 'tags') as readonly unknown[] | undefined)?.includes(tag.name))
      .map(([method, operation]) => operationMarkup(method, path, operation)),
  );
  return `<section id="${anchor(tag.name)}"><h2>${escapeMarkup(tag.name)}</h2><p>${prose(tag.description)}</p>${operations.join('')}</section>`;
}

function operationMarkup(method: string, path: string, operation: unknown): string {
  const summary =
    `<summary><span class="method ${method}">${method.toUpperCase()}</span><code>${escapeMarkup(path)}</code>` +
    `<span class="quiet">${prose(own(operation, 'summary'))}</span></summary>`;
  const description = own(operation, 'description');
  return (
    `<details>${summary}<div>${description ? `<p>${prose(description)}</p>` : ''}${parametersMarkup(own(operation, 'parameters'))}` +
    `${bodyMarkup(own(operation, 'requestBody'))}${responsesMarkup(own(operation, 'responses'))}</div></details>`
  );
}

function parametersMarkup(parameters: unknown): string {
  if (!Array.isArray(parameters)) return '';
  const rows = parameters.map(
    (one: unknown) =>
      `<dt><code>${prose(own(one, 'name'))}</code> <small>${prose(own(one, 'in'))}</small></dt><dd>${prose(own(one, 'description'))} ${schemaMarkup(own(one, 'schema'))}</dd>`,
  );
  return `<h4>Parameters</h4><dl>${rows.join('')}</dl>`;
}

function bodyMarkup(body: unknown): string {
  return body === undefined ? '' : `<h4>Body</h4>${schemaMarkup(jsonSchema(body))}`;
}

function responsesMarkup(responses: unknown): string {
  if (!isObject(responses)) return '';
  const rows = Object.entries(responses).map(([status, response]) => {
    const schema = jsonSchema(response);
    return `<dt><code>${status}</code></dt><dd>${prose(own(response, 'description'))} ${schema === undefined ? '' : schemaMarkup(schema)}</dd>`;
  });
  return `<h4>Responses</h4><dl>${rows.join('')}</dl>`;
}

function jsonSchema(part: unknown): unknown {
  return own(own(own(part, 'content'), 'application/json'), 'schema');
}

/** Renders text of the contract, with code between backticks. */
function prose(text: unknown): string {
  return typeof text === 'string' ? escapeMarkup(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>') : '';
}

function anchor(name: string): string {
  return name.toLowerCase().replaceAll(' ', '-');
}

const CONTRACT_TITLE = `${CONTRACT.info.title}: the interfaces`;
const CONTRACT_STYLE = `
body { display: grid; grid-template-columns: 14rem minmax(0, 54rem); gap: 3rem; padding: 2.5rem 2rem 6rem; max-width: 76rem; margin: 0 auto; }
nav { position: sticky; top: 2.5rem; align-self: start; display: grid; gap: .5rem; } nav a { text-decoration: none; } nav strong { margin-bottom: .5rem; }
main > section { margin-top: 3rem; } h2 { font-size: 1.25rem; margin: 0 0 .5rem; } h3 { font-size: 1rem; margin: 0 0 .5rem; } h4 { margin: 1rem 0 .25rem; font-size: .875rem; }
details, .shape { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; margin-top: .5rem; }
summary { cursor: pointer; padding: .75rem 1rem; display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: baseline; }
summary code { font-weight: 600; overflow-wrap: anywhere; } details > div { padding: 0 1rem 1rem; border-top: 1px solid var(--line); padding-top: .75rem; } .shape { padding: 1rem; }
.method { font: 700 .75rem/1.6 ui-monospace, monospace; min-width: 4rem; text-align: center; border-radius: .375rem; color: #fff; background: #0f6b66; }
.post { background: #27388c; } .put { background: #8a4b0f; } .delete { background: #a3262f; }
dl { margin: 0; display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .25rem 1rem; } dt { color: var(--quiet); } dd { margin: 0; }
ul { list-style: none; margin: .25rem 0 0; padding: 0 0 0 .875rem; border-left: 2px solid var(--line); } li { margin: .125rem 0; } i { color: var(--quiet); font-style: normal; font-size: .875rem; }
:target { scroll-margin-top: 1rem; outline: 2px solid var(--accent); outline-offset: .25rem; border-radius: .75rem; }
@media (max-width: 48rem) { body { grid-template-columns: minmax(0, 1fr); gap: 1.5rem; padding: 1.25rem; } nav { position: static; } dl { grid-template-columns: minmax(0, 1fr); } }
`;

/** Renders a JSON Schema as nested lists of fields. Optional ones are marked with `?`. */
function schemaMarkup(schema: unknown): string {
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
  return `<i>${escapeMarkup(typeText(schema))}</i>${note(schema)}`;
}

function fields(properties: Readonly<Record<string, unknown>>, required: unknown): string {
  const rows = Object.entries(properties).map(([name, schema]) => {
    const isRequired = Array.isArray(required) && required.includes(name);
    return `<li><code>${escapeMarkup(name)}${isRequired ? '' : '?'}</code> ${schemaMarkup(schema)}</li>`;
  });
  return `<ul>${rows.join('')}</ul>`;
}

function typeText(schema: unknown): string {
  const constant = own(schema, 'const');
  if (constant !== undefined) return JSON.stringify(constant);
  const values = own(schema, 'enum');
  if (Array.isArray(values)) return values.join(' | ');
  const type = own(schema, 'type');
  const format = own(schema, 'format');
  const name = Array.isArray(type) ? type.join(' or ') : type === undefined ? 'anything' : shown(type);
  return `${name}${typeof format === 'string' ? ` (${format})` : ''}${limits(schema)}${defaultText(schema)}`;
}

function limits(schema: unknown): string {
  const least = own(schema, 'minimum') ?? own(schema, 'minItems');
  const most = own(schema, 'maximum') ?? own(schema, 'maxItems');
  if (most === undefined) return '';
  return `, ${shown(least ?? 0)} to ${shown(most)}`;
}

function defaultText(schema: unknown): string {
  const value = own(schema, 'default');
  return value === undefined ? '' : `, default ${shown(value)}`;
}

function note(schema: unknown): string {
  const description = own(schema, 'description');
  return description === undefined ? '' : ` <small>${prose(description)}</small>`;
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
