import { expect, test } from 'vitest';
import { consentTexts } from '../../src/page/namedConsent.ts';
import { sourceByName } from '../../src/consent/byName.ts';

test.each([
  ['complianz:marketing', 'complianz(marketing)'],
  ['cookiebot:marketing', 'cookiebot(marketing)'],
  ['cookieyes:advertisement', 'cookieYes(advertisement)'],
  ['didomi:cookies', 'didomi(cookies)'],
  ['google:ad_storage', 'googleConsentMode(ad_storage)'],
  ['google:ad_storage;dataLayer=shopLayer', 'googleConsentMode(ad_storage)'],
  ['gpp', 'gpp'],
  ['OneTrust: C0004', 'oneTrust(C0004)'],
  ['tcf:1,3,4;vendor=755', 'tcf(1,3,4, vendor 755)'],
  ['tcf: 1, 3; legitimateInterests=7,10', 'tcf(1,3, legitimate interests 7,10)'],
  ['usercentrics:marketing', 'usercentrics(marketing)'],
  ['wpconsent:marketing', 'wpConsent(marketing)'],
])('%s is %s', (text, name) => {
  expect(sourceByName(text).source).toBe(name);
});

test('the attribute knows the same names', () => {
  let message = '';
  try {
    sourceByName('?');
  } catch (error) {
    message = String(error);
  }
  const named = [...message.matchAll(/(?<= )([a-z]+)(?=:| ·|\.$)/g)].map(([name]) => name).sort();
  expect(named.length).toBeGreaterThan(9);
  expect(consentTexts.replace(/.* of /, '').split(', ')).toEqual(named);
});

test.each([
  ['onetrsut:C0004', '"onetrsut" is not a source of consent. Use one of complianz:marketing · cookiebot:marketing'],
  ['constructor:x', '"constructor" is not a source'],
  ['', '"" is not a source'],
  ['onetrust', 'Write it like onetrust:C0004.'],
  ['onetrust:C0004;vendor=755', 'Write it like onetrust:C0004.'],
  ['gpp:7', 'Write it like gpp.'],
  ['tcf:', 'Write it like tcf:1,3,4;vendor=755.'],
  ['tcf:1,x', 'Write it like tcf:1,3,4;vendor=755.'],
  ['tcf:1;vender=755', 'Write it like tcf:1,3,4;vendor=755.'],
  ['tcf:1;vendor=755,756', 'Write it like tcf:1,3,4;vendor=755.'],
  ['tcf:1;vendor=', 'Write it like'],
  ['tcf:1;vendor=755;vendor=756', 'Write it like'],
])('%s is refused, with what would be right', (text, message) => {
  expect(() => sourceByName(text)).toThrow(message);
});
