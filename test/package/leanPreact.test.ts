import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scriptTag } from './bytes.ts';

const WIDGET = `${import.meta.dirname}/../../src/widget`;

/** What tools/leanPreact.ts removes from Preact. */
const REMOVED: Readonly<Record<string, RegExp>> = {
  'other exports of Preact than render':
    /import \{(?! (type \w+,? )*(render,? )?(type \w+,? )*\} from 'preact')[^}]*\} from 'preact/,
  'class components': /extends Component/,
  fragments: /<>|<Fragment/,
  'props that Preact treats in a special way':
    /\s(style|value|checked|defaultValue|defaultChecked|dangerouslySetInnerHTML|is)=/,
  'attributes that Preact must not set as properties': /\s(list|form|download|rowSpan|colSpan)=/,
  'elements with a namespace or their own content': /<(svg|math|template|textarea|progress|foreignObject)\b/,
  'listeners for the capture phase': /\son\w+Capture=/,
  'refs that are objects': /useRef|createRef/,
};

test('the widget uses nothing of Preact that the script leaves out', () => {
  const files = readdirSync(WIDGET, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.tsx'));
  expect(files).toContain('OfferCard.tsx');
  for (const file of files) {
    const code = readFileSync(join(WIDGET, file), 'utf8').replaceAll(/import type .*/g, '');
    for (const [what, pattern] of Object.entries(REMOVED)) expect(code, `${file}: ${what}`).not.toMatch(pattern);
  }
});

test('the script has no way to write HTML', () => {
  expect(String(scriptTag())).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser/);
});

test('the script begins with the line that has Chromium compile it off the main thread', () => {
  expect(String(scriptTag())).toMatch(/^\/\/# allFunctionsCalledOnLoad\n/);
});
