import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { ATTRIBUTES } from '../../src/page/showOptions.ts';
import { DISPLAY_MODES, VIEWS } from '../../src/wire/offers/request.ts';
import { columnOf, pageAt, sectionOf } from '../docs/pages.ts';
import { typeCheck } from '../docs/typeCheck.ts';

interface Named {
  readonly name: string;
  readonly description?: string;
  readonly type?: { readonly text: string };
}
interface Manifest {
  readonly modules: readonly {
    readonly path: string;
    readonly declarations: readonly Readonly<Record<'attributes' | 'cssProperties' | 'cssParts', readonly Named[]>>[];
  }[];
}

const manifest = JSON.parse(readFileSync('dist/custom-elements.json', 'utf8')) as Manifest;
const [module] = manifest.modules;
const [element] = module?.declarations ?? [];
const attributes = element?.attributes ?? [];
const page = pageAt('docs/reference/page.md');

test('package.json names the manifest, and the manifest a module that is built', () => {
  expect(packageJson.customElements).toBe('dist/custom-elements.json');
  expect(packageJson.exports['./custom-elements.json']).toBe('./dist/custom-elements.json');
  expect(existsSync(String(module?.path))).toBe(true);
  expect(element).toMatchObject({ customElement: true, tagName: 'offer-let' });
});

test('the manifest has exactly the attributes that the element reads', () => {
  expect(attributes.map(({ name }) => name)).toEqual(ATTRIBUTES);
  expect(typeOf('view')).toEqual(VIEWS);
  expect(typeOf('display-mode')).toEqual(DISPLAY_MODES);
  expect(typeOf('consent')).toEqual(['required', 'granted', 'denied', 'gpp', '`${string}:${string}`']);
  expect(typeOf('order-amount')).toEqual(['number', 'string']);
  for (const { name, description } of attributes) expect(description, name).toMatch(/^.{10,}\.$/);
});

test('the manifest has exactly the custom properties and parts that the documentation has', () => {
  const theming = sectionOf(page, 'Theming');
  expect(element?.cssProperties.map(({ name }) => name)).toEqual(columnOf(theming, 'property'));
  const [, parts = ''] = /with `::part\(\)`: (.*)\.\n/.exec(theming) ?? [];
  expect(element?.cssParts.map(({ name }) => `\`${name}\``).join(', ')).toBe(parts);
});

test('the type of the attributes has exactly the attributes that the element reads', () => {
  const entries = ATTRIBUTES.map((name) => `'${name}': true`).join(', ');
  const code = `export const all: Record<keyof import('offerlet/element').OfferLetAttributes, true> = { ${entries} };`;
  expect(typeCheck([{ name: 'attributes.ts', code, from: { page: 'the attributes', line: 1 } }])).toEqual([]);
});

/** The values of an attribute whose type is a union. */
function typeOf(name: string): string[] {
  const { type } = attributes.find((attribute) => attribute.name === name) ?? {};
  return String(type?.text)
    .split(' | ')
    .map((value) => value.replaceAll("'", ''));
}
