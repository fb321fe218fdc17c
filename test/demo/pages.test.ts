import { expect, test } from 'vitest';
import { CHOICES, queryOf, readChoices, type Choices } from '../../demo/choices/choices.ts';
import { framePage } from '../../demo/views/framePage.ts';
import { orderPage } from '../../demo/views/orderPage.ts';
import { placementHtml } from '../../demo/placement/placement.ts';
import { policyFor } from '../../demo/placement/policyFor.ts';

const ORDER = { number: '1001', emailHash: 'a'.repeat(64) };
const choose = (query: string): Choices => readChoices(new URLSearchParams(query));

function page(query: string, more: { isReceipt?: boolean; nonce?: string } = {}): string {
  const params = new URLSearchParams(query);
  return orderPage({ order: ORDER, choices: readChoices(params), query: params, isReceipt: false, nonce: '', ...more });
}

test('every choice shows a complete page in every language', () => {
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

test('each view has its own text, in each language', () => {
  for (const locale of CHOICES.locale) {
    const titles = CHOICES.view.map((view) => /<h1[^>]*>([^<]+)</.exec(page(`locale=${locale}&view=${view}`))?.[1]);
    expect(new Set(titles).size).toBe(CHOICES.view.length);
  }
});

test('a query has only what differs from the default, and is read as the same choices', () => {
  expect(queryOf(choose(''))).toBe('');
  const shared = queryOf(choose('mode=PULLUP&locale=ar&theme=dark&csp=nonce'));
  expect(shared).toBe('?mode=PULLUP&locale=ar&theme=dark&csp=nonce');
  expect(choose(shared)).toEqual(choose('mode=PULLUP&locale=ar&theme=dark&csp=nonce'));
});

test('an unknown value falls back to the default', () => {
  expect(choose('mode=SIDEWAYS&via=&theme=__proto__')).toEqual(choose(''));
});

test('other parameters of the URL belong to the widget, and stay', () => {
  const query = new URLSearchParams('offerlet=inspect&mode=OVERLAY&other=1');
  expect(queryOf(readChoices(query), query)).toBe('?offerlet=inspect&other=1&mode=OVERLAY');
});

test('an order is requested as a test or as a counted one', () => {
  expect(page('')).toContain('data-relay="/offers"');
  expect(page('orders=counted')).toContain('data-relay="/counted/offers"');
});

test('nothing from the URL becomes markup', () => {
  const evil = `"><script>alert(1)</script><img src=x onerror='1'>`;
  const html = page(new URLSearchParams({ [evil]: evil, view: evil, locale: evil }).toString());
  expect(html).not.toMatch(/<script>alert|<img src=x/);
});

test('the page contains exactly what the bar offers for copying', () => {
  for (const via of ['script', 'element'])
    for (const mode of CHOICES.mode) {
      const choices = choose(`via=${via}&mode=${mode}&consent=banner`);
      expect(page(`via=${via}&mode=${mode}&consent=banner`)).toContain(placementHtml(choices, ORDER));
    }
});

test('the npm import needs no markup except its target', () => {
  const html = page('via=npm&desk=none');
  expect(html).toContain('<div id="offers"></div>');
  expect(html).toContain('/with-npm.js');
  expect(html).not.toMatch(/offerlet\.js|<offer-let/);
});

test('under a nonce policy every script and style has the nonce of its response', () => {
  const { nonce, header } = policyFor(choose('csp=nonce'), 'http://127.0.0.1:4600');
  expect(header).toContain(`script-src 'nonce-${nonce}'`);
  expect(header).not.toContain('unsafe');
  expect(policyFor(choose('csp=nonce'), '').nonce).not.toBe(nonce);
  const html = page('csp=nonce&consent=banner&navigation=spa&via=npm', { nonce });
  const loading = html.match(/<(?:script|link rel="stylesheet")[^>]*>/g) ?? [];
  expect(loading.length).toBeGreaterThan(3);
  for (const tag of loading) expect(tag).toContain(`nonce="${nonce}"`);
});

test('no page has an inline style or script', () => {
  for (const html of [page(''), page('navigation=spa&consent=banner')]) {
    expect(html).not.toMatch(/<style|style="|<script(?![^>]*src=)|\son\w+="/);
  }
});

test('a page in a frame has no second bar, and another site’s frame has another host name', () => {
  const frame = (word: string): string =>
    /<main[^>]*>\s*<iframe[^>]*src="([^"]+)"/.exec(
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

test('a receipt has no offers; a single-page app contains both routes', () => {
  const receipt = page('navigation=spa', { isReceipt: true });
  const [shown = '', other = ''] = receipt.split('<template id="other-route">');
  expect(shown).not.toContain('id="offers"');
  expect(other).toContain('id="offers"');
});
