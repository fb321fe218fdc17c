import { afterEach, expect, test, vi } from 'vitest';
import { plainText } from '../../src/wire/plainText.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

test('copy stays as it was written', () => {
  expect(plainText('20 % off <b>everything</b> & more', 140)).toBe('20 % off <b>everything</b> & more');
});

test.each([null, undefined, 0, true, {}, [], ['a'], { toString: () => 'a' }])(
  'what is not a string is no copy: %j',
  (value) => {
    expect(plainText(value, 10)).toBeUndefined();
  },
);

test('control characters and bidi overrides are taken out', () => {
  expect(plainText('a\u0000b\u0007c\u007fd\u009be\u202ef\u2066g\u2069h\u202a', 40)).toBe('abcdefgh');
});

test('right-to-left copy keeps its marks and its joiners', () => {
  expect(plainText('\u200fעברית \u200fمی\u200cخواهم', 40)).toBe('\u200fעברית \u200fمی\u200cخواهم');
});

test('white space folds to single spaces and disappears at the ends', () => {
  expect(plainText(' \n a\t\tb\r\n\u2028c ', 40)).toBe('a b c');
});

test('nothing left is no copy', () => {
  expect(plainText(' \u0000\n\u202e', 40)).toBeUndefined();
});

test('halves of surrogate pairs are taken out', () => {
  expect(plainText('a\ud800b\udc00c😀', 40)).toBe('abc😀');
});

test('a cut falls between graphemes', () => {
  expect(plainText('👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 2)).toBe('👩‍👩‍👧‍👦👩‍👩‍👧‍👦');
  expect(plainText('e\u0301e\u0301e\u0301', 2)).toBe('e\u0301e\u0301');
  expect(plainText('x'.repeat(200), 140)).toBe('x'.repeat(140));
});

test('what fits exactly is not cut', () => {
  expect(plainText('x'.repeat(140), 140)).toBe('x'.repeat(140));
});

test('a tower of accents is cut although it is one grapheme', () => {
  expect(plainText(`a${'\u0301'.repeat(100_000)}`, 40)?.length).toBeLessThanOrEqual(640);
});

test('without a segmenter a cut falls between code points', () => {
  vi.stubGlobal('Intl', {});
  expect(plainText('😀😀😀', 2)).toBe('😀😀');
});
