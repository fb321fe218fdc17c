import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isGroup, environmentVariable, type Command, type CommandGroup } from '../../src/program/command.ts';
import { COMMANDS as OFFERLET } from '../../src/cli/commands.ts';
import { commands as OPERATOR } from '../../src/operator/commands.ts';
import { readPublisherList } from '../../src/operator/publishers/readPublisherList.ts';
import { readOptions } from '../../src/relay/options/readOptions.ts';
import { networkCommand } from '../../src/sandbox/networkCommand.ts';
import { sandboxCommand } from '../../src/sandbox/sandboxCommand.ts';
import { codeIn, pageAt, PAGES, sectionOf } from './pages.ts';

test('every environment variable on a page is read by a command, or named in the code', () => {
  const options = [...Object.values(OFFERLET), ...Object.values(OPERATOR), sandboxCommand, networkCommand]
    .flatMap((one: Command | CommandGroup) => (isGroup(one) ? Object.values(one.commands) : [one]))
    .flatMap((command) => Object.keys(command.options).map(environmentVariable));
  const code = ['src', 'demo', 'test', 'docs/site', 'examples'].map(textIn).join('\n');
  const examples = new Set(['OFFERLET_PREFETCH']); // of the reader's own program
  const named = PAGES.flatMap(({ path, text }) =>
    [...text.matchAll(/\bOFFERLET_[A-Z]+(?:_[A-Z]+)*\b/g)].map(([name]) => ({ path, name })),
  );
  expect(named.length).toBeGreaterThan(20);
  const unknown = named.filter(
    ({ name }) => !options.includes(name) && !examples.has(name) && !new RegExp(`\\b${name}\\b`).test(code),
  );
  expect(unknown).toEqual([]);
});

test('lists of publishers may have the columns that the page names', () => {
  const [, names = ''] = /columns may also be called (.*)\./.exec(pageAt('docs/operators/README.md').text) ?? [];
  const [brands = '', domains = '', rest = ''] = names.split(', ');
  const [category = '', subcategories = ''] = codeIn(rest);
  expect([codeIn(brands).length, codeIn(domains).length]).toEqual([2, 2]);
  for (const brand of codeIn(brands))
    for (const domain of codeIn(domains)) {
      const [read] = readPublisherList(`${brand},${domain},${category},${subcategories}\na,b,c,d`);
      expect(read?.fields).toEqual({
        brand_name: 'a',
        domain: 'b',
        primary_category_id: 'c',
        subcategory_ids: 'd',
      });
    }
});

test('the checklist names forwardEventIds, and the page explains its default', () => {
  const production = pageAt('docs/operate/production.md');
  const checklist = codeIn(sectionOf(production, 'Checklist'));
  expect(checklist).toEqual(expect.arrayContaining(['forwardEventIds', '--forward-event-ids']));
  const { forwardEventIds } = readOptions({
    apiKey: 'adnet_rk_test_x',
    version: '1.0.0',
    networkUrl: 'https://a.test',
  });
  const section = sectionOf(production, 'Duplicate events');
  expect(section).toContain(`\`${forwardEventIds}\` (the default)`);
  expect(section).toContain(`The default is \`${forwardEventIds}\` because`);
  expect(section).toContain(`The demo shop sets it to \`${!forwardEventIds}\``);
});

function textIn(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(
      (path) => !/node_modules|\.vitepress/.test(path) && /\.(?:[mc]?[jt]sx?|service|yml)$|Dockerfile$/.test(path),
    )
    .map((path) => readFileSync(join(folder, path), 'utf8'))
    .join('\n');
}
