// Writes the custom elements manifest: what editors, Storybook and documentation tools read about <offer-let>. Attributes come
// from their type; parts and custom properties from the page that documents them.
import { readFileSync, writeFileSync } from 'node:fs';

const TYPES = 'src/page/elementTypes.d.ts';
const THEMING = /\n## Theming\n([\s\S]*?)\n## /.exec(readFileSync('docs/reference/page.md', 'utf8'))?.[1] ?? '';

/** Writes the manifest to `file`. `modules` is the URL of the folder with the built modules. */
export async function writeCustomElements(modules, file) {
  const { ATTRIBUTES } = await import(new URL('page/showOptions.js', modules).href);
  const { DISPLAY_MODES, VIEWS } = await import(new URL('wire/offers/request.js', modules).href);
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
    attributes: readAttributes(ATTRIBUTES, { View: VIEWS, DisplayMode: DISPLAY_MODES }),
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
  writeFileSync(file, `${JSON.stringify(manifest, undefined, 2)}\n`);
}

function field(name, text, description, readonly = false) {
  return { kind: 'field', name, type: { text }, ...(readonly ? { readonly } : {}), description };
}

/** The attributes as their interface describes them. Throws unless those are exactly the ones that the element reads. */
function readAttributes(names, unions) {
  const [, body = ''] = /interface OfferLetAttributes \{\n([\s\S]*?)\n\}/.exec(readFileSync(TYPES, 'utf8')) ?? [];
  const attributes = [...body.matchAll(/\/\*\*([\s\S]*?)\*\/\s*'?([\w-]+)'?\?: ([^;]+);/g)].map(
    ([, comment, name, type]) => ({ name, type: { text: textOfType(type) }, description: oneLine(comment) }),
  );
  const described = attributes.map(({ name }) => name);
  if (described.toSorted().join() !== names.toSorted().join())
    throw new Error(
      `${TYPES} describes the attributes ${described.join(', ')}. The element reads ${names.join(', ')}.`,
    );
  return attributes;

  function textOfType(type) {
    const parts = type.split(' | ').filter((part) => !['null', 'undefined'].includes(part));
    const named = parts.flatMap((part) => unions[part]?.map((value) => `'${value}'`) ?? (part === 'Text' ? [] : part));
    return named.join(' | ') || 'string';
  }
}

function oneLine(comment) {
  return comment.replace(/\s+\*?\s*/g, ' ').trim();
}
