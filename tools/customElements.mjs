// Writes what editors, Storybook and documentation tools read about <offer-let>: its types, and the custom elements manifest.
// Attributes come from the types of options; parts and custom properties from the page that documents them.
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const TYPES = ['src/session/checkOptions.ts', 'src/page/elementTypes.d.ts'];
const THEMING = /\n## Theming\n([\s\S]*?)\n## /.exec(readFileSync('docs/reference/page.md', 'utf8'))?.[1] ?? '';

/** Writes both to a folder, which has the built modules. */
export async function writeCustomElements(folder) {
  const modules = pathToFileURL(`${process.cwd()}/${folder}/`);
  const { nameOf, OPTIONS } = await import(new URL('session/checkOptions.js', modules).href);
  const { DISPLAY_MODES, VIEWS } = await import(new URL('wire/offers/request.js', modules).href);
  const attributes = readAttributes(OPTIONS, { View: VIEWS, DisplayMode: DISPLAY_MODES }).map(({ name, ...about }) => ({
    name: nameOf(name, ''),
    ...about,
  }));
  writeTypes(attributes, `${folder}/${TYPES[1].replace('src/', '')}`);
  const module = 'dist/element.js';
  const element = {
    kind: 'class',
    name: 'OfferLetElement',
    customElement: true,
    tagName: 'offer-let',
    superclass: { name: 'HTMLElement' },
    summary: 'Shows partner offers where it is.',
    description:
      'Attributes may change until the request for offers is sent. After that, a new `view`, `display-mode` or `order-id` shows offers anew, `consent` is a later decision, and other changes have no effect.',
    attributes,
    members: [
      field(
        'mount',
        'Mount | undefined',
        'The mount of the element. Missing while the element is not on a page.',
        true,
      ),
      field(
        'consent',
        'string | boolean | null | undefined',
        'The attribute `consent`. `true` and `false` set `granted` and `denied`, `null` and `undefined` set `required`.',
      ),
    ],
    events: [
      {
        name: 'offerlet',
        type: { text: 'CustomEvent<PageEvent>' },
        description: 'Every event of the mount; `detail` is the event. Bubbles.',
      },
    ],
    cssParts: [...(/with `::part\(\)`: (.*)\.\n/.exec(THEMING)?.[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => ({
      name,
    })),
    cssProperties: [...THEMING.matchAll(/^\| `(--[\w-]+)` \|.*\| (.*) \|$/gm)].map(([, name, description]) => ({
      name,
      description,
    })),
  };
  const manifest = {
    schemaVersion: '1.0.0',
    readme: 'README.md',
    modules: [
      {
        kind: 'javascript-module',
        path: module,
        declarations: [element],
        exports: [
          { kind: 'custom-element-definition', name: 'offer-let', declaration: { name: element.name, module } },
        ],
      },
    ],
  };
  writeFileSync(`${folder}/custom-elements.json`, `${JSON.stringify(manifest, undefined, 2)}\n`);
}

function field(name, text, description, readonly = false) {
  return { kind: 'field', name, type: { text }, ...(readonly ? { readonly } : {}), description };
}

/** Writes the types with a comment for each attribute: editors show none of a name that another type makes. */
function writeTypes(attributes, file) {
  const members = attributes
    .filter(({ name }) => name !== 'consent')
    .map(({ name, description }) => `\n  /** ${description} */\n  '${name}'?: Attributes['${name}'];`);
  writeFileSync(
    file,
    readFileSync(TYPES[1], 'utf8').replace('extends Attributes {', (before) => before + members.join('')),
  );
}

/** The attributes as their interfaces describe them. Throws if one is in none. */
function readAttributes(options, unions) {
  const text = TYPES.map((path) => readFileSync(path, 'utf8')).join('');
  const bodies = [...text.matchAll(/interface \w+Attributes .*\{\n([\s\S]*?)\n\}/g)].map(([, body]) => body).join('\n');
  const described = new Map(
    [...bodies.matchAll(/\/\*\*([\s\S]*?)\*\/\s*(\w+)\??: ([^;]+);/g)].map(([, comment, name, type]) => [
      name,
      { name, type: { text: textOfType(type) }, description: oneLine(comment) },
    ]),
  );
  return options.flatMap(([name, [at]]) => {
    if (!at) return [];
    if (!described.has(name)) throw new Error(`${TYPES.join(' and ')} do not describe the attribute ${name}.`);
    return described.get(name);
  });

  function textOfType(type) {
    const parts = type.split(' | ').filter((part) => part !== 'undefined');
    return parts.flatMap((part) => unions[part]?.map((value) => `'${value}'`) ?? part).join(' | ');
  }
}

function oneLine(comment) {
  return comment.replace(/\s+\*?\s*/g, ' ').trim();
}
