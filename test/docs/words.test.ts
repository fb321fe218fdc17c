import { expect, test } from 'vitest';
import { PAGES, proseOf } from './pages.ts';

/** Words with a standard term that readers search for; the documentation uses one word per concept. */
const TERMS: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\banswer(?:s|ed|ing)?\b/i, 'response, to respond'],
  [/\bunless (?:given|told)\b/i, 'by default'],
  [/\b(?:thrown away|given back)\b/i, 'dropped, discarded, returned'],
  [/\btakes? turns\b/i, 'lock, lease, run exclusively'],
  [/\b(?:hears?|told)\b/i, 'receives, is notified'],
  [/\b(?:a yes|a no|whoever)\b/i, 'consent given, denied; name who'],
  [/\bof (?:its|their|your|one's) own\b/i, 'separate, own, custom'],
  [/\bthat (?:it|they) (?:prints?|returns?|lists?)\b/i, 'the printed X, the returned X'],
];

test('the documentation uses standard terms', () => {
  const found = PAGES.flatMap((page) =>
    proseOf(page)
      .replace(/`[^`]*`|\]\([^)]*\)/g, '')
      .split('\n')
      .flatMap((line) =>
        TERMS.flatMap(([pattern, instead]) => {
          const [text] = pattern.exec(line) ?? [];
          return text === undefined ? [] : [`${page.path}: "${text}" (write ${instead}): ${line.trim().slice(0, 100)}`];
        }),
      ),
  );
  expect(found).toEqual([]);
});
