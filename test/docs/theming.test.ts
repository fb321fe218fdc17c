import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DISPLAY_MODES } from '../../src/wire/offers/request.ts';
import { codeIn, pageAt, sectionOf, tableIn } from './pages.ts';

const css = readFileSync('src/widget/styles/widget.css', 'utf8');
const rows = tableIn(sectionOf(pageAt('docs/reference/page.md'), 'Theming'), 'property');

test.each(['radius', 'button-radius', 'font', 'backdrop'])(
  'the documented default of --offerlet-%s is that of the style sheet',
  (name) => {
    expect(codeIn(rowOf(name).default)).toEqual([defaultOf(name)]);
  },
);

test('the documented share of the text colour in a line is that of the style sheet', () => {
  const [, share] = /var\(--text\) (\d+)%/.exec(defaultOf('line')) ?? [];
  expect(rowOf('line').default).toContain(`${share} % of the text colour`);
});

test('the documented limits of radius and width are those of the style sheet', () => {
  const [, most] = /min\(var\(--offerlet-radius, \w+\), (\w+)\)/.exec(css) ?? [];
  const [, least] = /max\((\w+), var\(--offerlet-width/.exec(css) ?? [];
  expect(rowOf('radius').for).toContain(`at most \`${most}\``);
  expect(rowOf('width').for).toContain(`at least \`${least}\``);
});

test('the documented width of each mode is that of the style sheet', () => {
  const widths = [...css.matchAll(/([^{}]+)\{\s*--default-width: (\w+)/g)].map(([, selector = '', width = '']) => [
    /\.(\w+)/.exec(selector)?.[1]?.toUpperCase() ?? '',
    width,
  ]);
  const [, inline = ''] = /--default-width: (\w+);\s*\/\*/.exec(css) ?? [];
  const documented = rowOf('width').default;
  expect(widths.length).toBe(4);
  // A picture widens the window's dialog, and comes second.
  const names = [...documented.matchAll(/`([A-Z]+)`/g)].map(([, mode = '']) => mode);
  expect(names.toSorted()).toEqual([...DISPLAY_MODES].toSorted());
  expect(
    codeIn(documented)
      .filter((code) => code.endsWith('px'))
      .toSorted(),
  ).toEqual([inline, ...widths.map(([, width = '']) => width)].toSorted());
  for (const [mode, width] of widths.filter(([, one]) => one !== '1040px'))
    expect(documented).toMatch(new RegExp(`\`${width}\` \`${mode}\`|\`${mode}\` \`${width}\``));
});

test('the modes with a shadow by default are those of the style sheet', () => {
  const [, selectors = ''] = /([^{}]+)\{\s*--depth:/.exec(css) ?? [];
  const withShadow = [...selectors.matchAll(/\.(\w+)/g)].map(([, mode = '']) => mode.toUpperCase());
  const [some = '', none = ''] = rowOf('shadow').default.split(';');
  expect(codeIn(some).toSorted()).toEqual(withShadow.toSorted());
  expect(codeIn(none).toSorted()).toEqual(DISPLAY_MODES.filter((mode) => !withShadow.includes(mode)).toSorted());
});

/** The row of a property. */
function rowOf(name: string): { readonly default: string; readonly for: string } {
  const row = rows.find(([cell]) => cell === `\`--offerlet-${name}\``);
  if (!row) throw new Error(`There is no row for --offerlet-${name}`);
  return { default: row[1] ?? '', for: row[2] ?? '' };
}

/** What the style sheet has for a property that the page leaves unset. */
function defaultOf(name: string): string {
  const start = css.indexOf(`var(--offerlet-${name}, `);
  if (start < 0) throw new Error(`The style sheet has no default for --offerlet-${name}`);
  const from = start + `var(--offerlet-${name}, `.length;
  let depth = 1;
  let end = from;
  for (; depth > 0; end++) depth += css[end] === '(' ? 1 : css[end] === ')' ? -1 : 0;
  return css.slice(from, end - 1).replace(/\b0\./g, '.');
}
