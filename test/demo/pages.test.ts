import { expect, test } from 'vitest';
import { CHOICES, queryOf, readChoices, type Choices } from '../../demo/choices.ts';
import { framePage } from '../../demo/framePage.ts';
import { orderPage } from '../../demo/orderPage.ts';
import { placementHtml } from '../../demo/placement.ts';
import { policyFor } from '../../demo/policy.ts';
import { reportPage } from '../../demo/reportPage.ts';

const ORDER = { number: '1001', emailHash: 'a'.repeat(64) };
const choose = (query: string): Choices => readChoices(new URLSearchParams(query));

function page(query: string, more: { isReceipt?: boolean; nonce?: string } = {}): string {
  const params = new URLSearchParams(query);
  return orderPage({ order: ORDER, choices: readChoices(params), query: params, isReceipt: false, nonce: '', ...more });
}

test('every switch shows a whole page in every language', () => {
  for (const locale of CHOICES.locale) {
    for (const [name, words] of Object.entries(CHOICES)) {
      for (const word of words) {
        const html = page(`locale=${locale}&${name}=${word}`);
        expect(html, `${locale} ${name}=${word}`).toMatch(/^<!doctype html>[^]*<\/html>$/);
        expect(html).not.toMatch(/undefined|\[object|NaN|\{0\}/);
        expect(html).toContain(`dir="${choose(`locale=${locale}&${name}=${word}`).locale === 'ar' ? 'rtl' : 'ltr'}"`);
      }
    }
  }
});

test('each view says something of its own, in each language', () => {
  for (const locale of CHOICES.locale) {
    const titles = CHOICES.view.map((view) => /<h1[^>]*>([^<]+)</.exec(page(`locale=${locale}&view=${view}`))?.[1]);
    expect(new Set(titles).size).toBe(CHOICES.view.length);
  }
});

test('an address holds only what was changed, and leads back to the same choices', () => {
  expect(queryOf(choose(''))).toBe('');
  const shared = queryOf(choose('mode=PULLUP&locale=ar&theme=dark&csp=nonce'));
  expect(shared).toBe('?mode=PULLUP&locale=ar&theme=dark&csp=nonce');
  expect(choose(shared)).toEqual(choose('mode=PULLUP&locale=ar&theme=dark&csp=nonce'));
});

test('a word that is no choice is the first of its list', () => {
  expect(choose('mode=SIDEWAYS&via=&theme=__proto__')).toEqual(choose(''));
});

test('what else stands in the address is the widget’s, and stays', () => {
  const query = new URLSearchParams('offerlet=inspect&mode=OVERLAY&other=1');
  expect(queryOf(readChoices(query), query)).toBe('?offerlet=inspect&other=1&mode=OVERLAY');
});

test('an order is asked for as a test or as one that counts', () => {
  expect(page('')).toContain('data-relay="/offers"');
  expect(page('orders=counted')).toContain('data-relay="/counted/offers"');
});

test('nothing from the address becomes markup', () => {
  const evil = `"><script>alert(1)</script><img src=x onerror='1'>`;
  const html = page(new URLSearchParams({ [evil]: evil, view: evil, locale: evil }).toString());
  expect(html).not.toMatch(/<script>alert|<img src=x/);
});

test('the page holds what the bar offers to be copied, letter for letter', () => {
  for (const via of ['script', 'element'])
    for (const mode of CHOICES.mode) {
      const choices = choose(`via=${via}&mode=${mode}&consent=banner`);
      expect(page(`via=${via}&mode=${mode}&consent=banner`)).toContain(placementHtml(choices, ORDER));
    }
});

test('the npm import gets no markup but its place', () => {
  const html = page('via=npm&desk=none');
  expect(html).toContain('<div id="offers"></div>');
  expect(html).toContain('/with-npm.js');
  expect(html).not.toMatch(/offerlet\.js|<offer-let/);
});

test('under a nonce policy everything that runs or styles carries the nonce of its answer', () => {
  const { nonce, header } = policyFor(choose('csp=nonce'), 'http://127.0.0.1:4600');
  expect(header).toContain(`script-src 'nonce-${nonce}'`);
  expect(header).not.toContain('unsafe');
  expect(policyFor(choose('csp=nonce'), '').nonce).not.toBe(nonce);
  const html = page('csp=nonce&consent=banner&navigation=spa&via=npm', { nonce });
  const loading = html.match(/<(?:script|link rel="stylesheet")[^>]*>/g) ?? [];
  expect(loading.length).toBeGreaterThan(3);
  for (const tag of loading) expect(tag).toContain(`nonce="${nonce}"`);
});

test('no page has a style or a script in its own text', () => {
  for (const html of [page(''), page('navigation=spa&consent=banner'), reportPage()]) {
    expect(html).not.toMatch(/<style|style="|<script(?![^>]*src=)|\son\w+="/);
  }
});

test('a page in a frame has no second bar, and another site’s frame has another name', () => {
  const frame = (word: string): string =>
    /<iframe[^>]*src="([^"]+)"/.exec(
      framePage({
        order: ORDER,
        choices: choose(`frame=${word}&mode=OVERLAY`),
        query: new URLSearchParams(`frame=${word}&mode=OVERLAY`),
        address: new URL('http://127.0.0.1:4173/orders/1001?x'),
      }),
    )?.[1] ?? '';
  expect(frame('phone').replaceAll('&#38;', '&')).toBe('http://127.0.0.1:4173/orders/1001?mode=OVERLAY&desk=none');
  expect(new URL(frame('foreign')).hostname).toBe('localhost');
  expect(page('desk=none')).not.toContain('demo-desk');
});

test('a receipt has no offers; a single-page app carries both routes', () => {
  const receipt = page('navigation=spa', { isReceipt: true });
  const [shown = '', other = ''] = receipt.split('<template id="other-route">');
  expect(shown).not.toContain('id="offers"');
  expect(other).toContain('id="offers"');
});
