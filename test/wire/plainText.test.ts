import { expect, test, vi } from 'vitest';
import { plainText } from '../../src/wire/json.ts';

test('valid copy is unchanged', () => {
  expect(plainText('20 % off <b>everything</b> & more', 140)).toBe('20 % off <b>everything</b> & more');
});

test.each([null, undefined, 0, true, {}, [], ['a'], { toString: () => 'a' }])(
  'only a string is copy, not %j',
  (value) => {
    expect(plainText(value, 10)).toBeUndefined();
  },
);

test('control characters and bidi overrides are removed', () => {
  expect(plainText('a\u0000b\u0007c\u007fd\u009be\u202ef\u2066g\u2069h\u202a', 40)).toBe('abcdefgh');
});

test('right-to-left copy keeps its marks and its joiners', () => {
  expect(plainText('\u200fעברית \u200fمی\u200cخواهم', 40)).toBe('\u200fעברית \u200fمی\u200cخواهم');
});

test('white space collapses to single spaces and is trimmed', () => {
  expect(plainText(' \n a\t\tb\r\n\u2028c ', 40)).toBe('a b c');
});

test('text with nothing visible left is undefined', () => {
  expect(plainText(' \u0000\n\u202e', 40)).toBeUndefined();
});

test.each(
  String.raw`\u00ad \u200b \u2060 \ufeff \u180e \u200e \u061c \u2069 \u3164 \u115f \uffa0 \u2800 \ufffc \u{1d159} \u034f \ufe0f
    \u{e0100} \u{e0041} \u0301 \u20dd \u00a0 \u2003 \u3000 \ue000 \u{1d173} \u17b4 \u206a \ufff0 \u200b\u0301\u3164\u200f`.split(
    /\s+/,
  ),
)('characters that leave no mark are no text: %s', (escaped) => {
  const text = escaped.replace(/\\u\{?([0-9a-f]+)\}?/g, (_, hex: string) => String.fromCodePoint(parseInt(hex, 16)));
  expect(plainText(text, 40)).toBeUndefined();
  expect(plainText(`${text}a${text}`, 40)).toContain('a');
});

test.each(['!', '…', '→', '1', '٣', '广', 'ا', 'ㅎ', '👍', '❤️', '©', '⠁'])('%s is visible', (text) => {
  expect(plainText(text, 40)).toBe(text);
});

test('lone surrogates are removed', () => {
  expect(plainText('a\ud800b\udc00c😀', 40)).toBe('abc😀');
});

test('truncated text ends in an ellipsis, and never splits a grapheme', () => {
  expect(plainText('👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 2)).toBe('👩‍👩‍👧‍👦…');
  expect(plainText('e\u0301e\u0301e\u0301', 2)).toBe('e\u0301…');
  expect(plainText('x'.repeat(200), 140)).toBe(`${'x'.repeat(139)}…`);
  expect(plainText('two words', 5)).toBe('two…');
});

test('an ellipsis makes no text of what shows nothing', () => {
  expect(plainText(`${'\u200b'.repeat(50)}a`, 40)).toBeUndefined();
});

test('text that fits exactly is not truncated', () => {
  expect(plainText('x'.repeat(140), 140)).toBe('x'.repeat(140));
});

test('thousands of stacked accents are truncated, although they are one grapheme', () => {
  expect(plainText(`a${'\u0301'.repeat(100_000)}`, 40)?.length).toBeLessThanOrEqual(640);
});

test('without Intl.Segmenter, truncation never splits a code point', () => {
  vi.stubGlobal('Intl', {});
  expect(plainText('😀😀😀', 2)).toBe('😀…');
});
