import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EXIT } from '../../src/program/ExitError.ts';
import { nameOf, OPTIONS } from '../../src/session/checkOptions.ts';
import { CHANNEL_METRICS, PUBLISHER_METRICS } from '../../src/wire/reporting.ts';
import { typesPage } from '../../tools/typesPage.ts';
import { RATIOS } from '../network/reporting/model.ts';
import { expectGenerated } from './expectGenerated.ts';
import { codeIn, pageAt, sectionOf, tableIn } from './pages.ts';

const errors = pageAt('docs/errors.md');

/** The entries of the packages: the file of each, and the page that describes it. */
const ENTRIES: readonly (readonly [entry: string, file: string, page: string])[] = [
  ['offerlet', 'index', '[Page](page.md#import)'],
  ['offerlet/element', 'element', '[Element](page.md#element)'],
  ['offerlet/inspector', 'inspector', '[Inspector](../guides/test-your-integration.md#on-your-own-page)'],
  ['offerlet/react', 'react', '[React](page.md#react)'],
  ['offerlet/session', 'session', '[Session](session.md)'],
  ['offerlet/consent', 'consent', '[Consent](../guides/consent.md)'],
  ['offerlet/queue', 'queue', '[Queue](queue.md)'],
  ['offerlet/shopify', 'shopify', '[Shopify](../start/shopify.md)'],
  ['offerlet/relay', 'relay', '[Relay](relay.md)'],
  ['offerlet/relay-redis', 'relay-redis', '[Duplicates](relay.md#duplicate-detection)'],
  ['offerlet/relay-shopify', 'relay-shopify', '[Extensions](relay.md#checkout-extensions)'],
  ['offerlet/html', 'html', '[In the HTML](../guides/prefetch.md#in-the-html)'],
  ['offerlet/client', 'client', '[From your server](../guides/from-your-server.md)'],
  ['offerlet/testing', 'testing', '[Testing](../guides/testing.md#reference)'],
  ['offerlet/testing/jsdom', 'testing/jsdom', '[Jest with jsdom](../guides/testing.md#jest-with-jsdom)'],
  ['offerlet/testing/playwright', 'testing/playwright', '[Playwright](../guides/testing.md#playwright)'],
  ['offerlet-operator', 'operator', '[Clients](../operators/clients.md)'],
  ['offerlet-sandbox', 'network', '[Network](../operators/network.md#in-code)'],
];

// After a change: OFFERLET_WRITE_DOCS=1 npx vitest run test/docs/reference.test.ts
test('the page of exports has every value of every entry', () => {
  const rows = ENTRIES.map(([entry, file, page]) => {
    const names = exportsOf(`src/${file}.ts`).map((name) => `\`${name}\``);
    return `| \`${entry}\` | ${names.join(', ') || 'nothing; importing it is enough'} | ${page} |`;
  });
  expectGenerated('docs/reference/exports.md', 'exports', [
    '| entry | exports | described in |',
    '|---|---|---|',
    ...rows,
  ]);
});

// After `npm run build`, as above.
test('the page of options has every attribute as its type describes it', () => {
  const { modules } = JSON.parse(readFileSync('dist/custom-elements.json', 'utf8')) as {
    modules: { declarations: { attributes: { name: string; type: { text: string }; description: string }[] }[] }[];
  };
  const attributes = modules.flatMap(({ declarations }) => declarations.flatMap((one) => one.attributes));
  const rows = attributes.map(({ name, type, description }) => {
    const [, [at = ''] = []] = OPTIONS.find(([option]) => nameOf(option, '') === name) ?? [];
    const values = [...type.text.matchAll(/'(\w+)'(?!.*\$)/g)].map(([, value]) => `\`${value}\``);
    return `| \`${name}\` | \`${at}\` | ${description}${values[0] ? ` One of ${values.join(', ')}.` : ''} |`;
  });
  expectGenerated('docs/reference/page.md', 'attributes', [
    '| attribute | `showOffers` | does |',
    '|---|---|---|',
    ...rows,
  ]);
});

// After `npm run build`, as above.
test('the page of types has the declarations of every entry', () => {
  expectGenerated('docs/reference/types.md', 'types', typesPage(ENTRIES));
});

test('every entry of the packages is on the page of exports', () => {
  const entries = ['.', 'packages/operator', 'packages/sandbox'].flatMap((folder) => {
    const { name, exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      name: string;
      exports: Record<string, unknown>;
    };
    return Object.keys(exports)
      .filter((path) => !/\.(css|js(on)?)$|commands$/.test(path))
      .map((path) => name + path.slice(1));
  });
  expect(ENTRIES.map(([entry]) => entry).toSorted()).toEqual(entries.toSorted());
});

test('the page of errors has every exit code of the commands', () => {
  const documented = tableIn(sectionOf(errors, 'Commands'), 'exit code').map(([code]) => Number(code));
  expect(documented).toEqual([0, ...Object.values(EXIT)]);
});

test('the page of metrics has every metric of each report', () => {
  const rows = tableIn(pageAt('docs/operators/metrics.md').text, 'metric');
  const of = (column: number): string[] =>
    rows.filter((cells) => cells[column] !== '').flatMap(([name = '']) => codeIn(name));
  expect(of(1).toSorted()).toEqual([...CHANNEL_METRICS].toSorted());
  expect(of(2).toSorted()).toEqual([...PUBLISHER_METRICS].toSorted());
});

test('the page of metrics divides as the reports do', () => {
  const rows = tableIn(pageAt('docs/operators/metrics.md').text, 'metric');
  const documented = rows.flatMap(([name = '', ...columns]) =>
    (['channel', 'publisher'] as const).flatMap((report, column) => {
      const parts = codeIn(columns[column] ?? '');
      return parts.length === 2 ? [[`${report} ${codeIn(name)[0] ?? ''}`, parts]] : [];
    }),
  );
  const ratios = Object.entries(RATIOS).map(([name, [over, under]]) => [name, [over, under]]);
  expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(ratios));
});

/** The values that an entry exports: in lists, or where they are declared. */
function exportsOf(path: string): string[] {
  const text = readFileSync(path, 'utf8');
  const lists = [...text.matchAll(/^export \{([\s\S]*?)\}/gm)].flatMap(([, names = '']) => names.split(','));
  const declared = [...text.matchAll(/^export (?:const|function|class) (\w+)/gm)].map(([, name = '']) => name);
  return [...lists, ...declared]
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '))
    .toSorted();
}
