import { expect, test } from 'vitest';
import { LANGUAGES, MESSAGE_KEYS, messagesFor } from '../../src/widget/messages.ts';

test('every language says every message', () => {
  for (const [language, words] of Object.entries(LANGUAGES)) {
    expect(words.split('|').filter(Boolean), language).toHaveLength(MESSAGE_KEYS.length);
    expect(messagesFor(language).position, language).toMatch(/\{0\}.*\{1\}/);
  }
});

test('a region finds its language and an unknown language gets English', () => {
  expect(messagesFor('de-AT').close).toBe('Schließen');
  expect(messagesFor('AR').close).toBe('إغلاق');
  expect(messagesFor('fi').close).toBe('Close');
  expect(messagesFor('__proto__').close).toBe('Close');
});

test('an override with nothing visible changes no message', () => {
  const messages = messagesFor('de');
  const blanks = ['', ' ', ...'\u200b \u00ad \u3164 \u2800 \u200e\u200f \ufe0f \u{e0020} \u0301'.split(' ')];
  for (const blank of blanks)
    expect(messagesFor('de', Object.fromEntries(MESSAGE_KEYS.map((key) => [key, blank])))).toEqual(messages);
});

test('an override replaces one message and cannot empty one', () => {
  for (const sponsored of ['  ', '·', 'aa', '\u{13441}\u{13442}', '\u3164\u115F.'])
    expect(messagesFor('en', { close: 'X', sponsored })).toMatchObject({ close: 'X', sponsored: 'Sponsored' });
});
