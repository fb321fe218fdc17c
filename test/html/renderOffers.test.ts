import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { renderOffers } from '../../src/html.ts';
import { toStorable } from '../../src/session/findOffers.ts';
import type { PlacedGroup } from '../../src/wire/offers/response.ts';
import { FOOTER, hero, list, pictures, placed } from '../widget/offers.ts';

const prefetched = (...groups: PlacedGroup[]) => ({
  view: 'THANK_YOU',
  display_mode: 'INLINE',
  order_id: '1001',
  response: toStorable({ session_id: 'session-1', groups, footer: FOOTER, sandbox: false, left_out: [] }),
});
const offers = (count: number, from = 0) => Array.from({ length: count }, (_, at) => placed(from + at));
const styleIn = (html: string): string => /<style>(.*?)<\/style>/s.exec(html)?.[1] ?? '';
/** The tags without the values of their attributes, and without texts. */
const tagsIn = (html: string): string[] => withoutStyle(html).match(/<(?:[^"<>]|"[^"]*")*>/g) ?? [];
const namesIn = (html: string): string[] => tagsIn(html).map((tag) => tag.replaceAll(/"[^"]*"/g, '""'));
const withoutStyle = (html: string): string => html.replace(styleIn(html), '');
const articles = (html: string): number => html.split('<article').length - 1;

test('a card is a host with its style sheet and hidden offers in a shadow root, and names its session', () => {
  const { html, styleHash } = renderOffers(prefetched(hero(...offers(3))));
  expect(namesIn(html).slice(0, 5)).toEqual([
    '<div data-offerlet-card="">',
    '<template shadowrootmode="">',
    '<style>',
    '</style>',
    '<section hidden class="" lang="" aria-label="">',
  ]);
  expect(html).toMatch(/^<div data-offerlet-card="session-1"><template shadowrootmode="open">/);
  expect(html).toMatch(/<\/section><\/template><\/div>$/);
  const digest = createHash('sha256').update(styleIn(html)).digest('base64');
  expect(styleHash).toBe(`'sha256-${digest}'`);
  expect(styleIn(html)).toContain('.surface');
});

test('for a page that streams, the card is the content of a template for the marker', () => {
  const json = prefetched(hero(...offers(2)));
  const { html } = renderOffers(json);
  expect(renderOffers(json, { streamed: true }).html).toBe(`<template for="offerlet">${html}</template>`);
  expect(renderOffers(undefined, { streamed: true }).html).toBe('');
});

test('of a sequence it has the first offer, of a list the first screenful, of everything at most maxOffers', () => {
  expect(articles(renderOffers(prefetched(hero(...offers(3)))).html)).toBe(1);
  expect(articles(renderOffers(prefetched(list(...offers(20)))).html)).toBe(9);
  expect(articles(renderOffers(prefetched(list(...offers(20))), { maxOffers: 2 }).html)).toBe(2);
});

test('it takes what relay.prefetch returned as well, and the options of the script', () => {
  const json = prefetched(hero(...offers(2)));
  expect(renderOffers({ json })).toEqual(renderOffers(json));
  const { html } = renderOffers(json, { locale: 'de', theme: 'dark', messages: { sponsored: 'Anzeige' } });
  expect(html).toMatch(/<section hidden class="root dark single inline" lang="de" aria-label="Gesponserte Angebote">/);
  expect(html).toContain('>Anzeige</span>');
  expect(renderOffers(json, { locale: 'ar' }).html).toContain('dir="rtl"');
});

test('a card that would be larger than 256 KB is left to the script, and before it is rendered where its offers are', () => {
  const card = (length: number, count = 9) => {
    const assets = pictures(60, { image_url: `https://images.test/${'x'.repeat(length)}` });
    return renderOffers(prefetched(list(...Array.from({ length: count }, (_, at) => placed(at, { assets })))));
  };
  const { length } = card(700).html;
  expect(length > 90_000 && length < 256 * 1024, `${length}`).toBe(true);
  expect(card(700, 20).html).toBe('');
  expect(card(10).html.length).toBeGreaterThan(90_000);
  expect(card(1_000).html).toBe('');
  expect(card(1_000).styleHash).toBe(card(10).styleHash);
});

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['no object', 'x'],
  ['no offers', prefetched()],
  ['a layer', { ...prefetched(hero(...offers(1))), display_mode: 'OVERLAY' }],
  ['a response that is none', { ...prefetched(), response: { session_id: '' } }],
  ['a link that could run', prefetched(hero(placed(0, { target_url: 'javascript:alert(1)' })))],
])('of %s there is no HTML', (_, given) => {
  const { html, styleHash } = renderOffers(given as undefined);
  expect([html, styleHash]).toEqual(['', renderOffers(prefetched(hero(...offers(1)))).styleHash]);
});

const HOSTILE = [
  '</template></style></script><script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '<!-- ]]> {{constructor.constructor("alert(1)")()}} {% include %} ${x} $& $1',
  '<style>*{display:none}</style> &lt;b&gt; &#60;i&#62;',
  'class="words" hidden <img <div class="words"',
];

test.each(HOSTILE)('hostile copy adds no tag, no attribute and no brace, in whatever field it is: %s', (copy) => {
  const rich = (text: string): PlacedGroup => {
    const offer = placed(0, {
      heading: text,
      subheading: text,
      cta_details: { accept_copy: text, decline_copy: text, transition_copy: text },
      metadata: { type: 'PROMO_CODE', code: text },
      disclosure_details: { copy: text, content: text, target_url: 'https://brand.test/terms' },
      assets: pictures(2),
    });
    const advertiser = { ...offer.advertiser, name: text, description: text };
    return { id: text, slot_context: 'HERO', heading: text, offers: [{ ...offer, advertiser }] };
  };
  const render = (text: string): string => {
    const footer = { attribution_details: { copy: text }, privacy_policy: { copy: text } };
    const json = prefetched(rich(text));
    const response = { ...json.response, footer, session_id: text };
    return renderOffers({ ...json, response }, { locale: text, messages: { sponsored: text, position: text } }).html;
  };
  const html = render(copy);
  expect(namesIn(html)).toEqual(namesIn(render('Plain')));
  const rest = withoutStyle(html);
  expect(rest).not.toMatch(/\{|<!/);
  // What is left without the tags is text: nothing in it begins another tag.
  expect(tagsIn(html).reduce((text, tag) => text.replace(tag, () => ''), rest)).not.toContain('<');
});
