import { describe, expect, test } from 'vitest';
import { ofSuite } from '../../fixtures/opened.ts';
import { parse } from 'yaml';
import { CONTRACT } from '../../../src/network/openapi.ts';
import { DEMO_ADVERTISERS, DEMO_OFFERS } from '../../../src/network/seed/demoOffers.ts';
import { openTestNetwork } from '../testNetwork.ts';

const world = ofSuite(() => openTestNetwork('pglite'));
const get = (path: string): Promise<Response> => world.network.fetch(new Request(`http://127.0.0.1:4600${path}`));

describe('pictures', () => {
  test('every advertiser has a logo with its name, except the one whose missing logo is part of the demo', async () => {
    const without: string[] = [];
    for (const { slug, name } of DEMO_ADVERTISERS) {
      const response = await get(`/logos/${slug}.svg`);
      if (response.status === 404) without.push(slug);
      else {
        expect(response.headers.get('content-type')).toContain('image/svg+xml');
        expect(await response.text()).toContain(`<title>${name.replace('&', '&amp;')}</title>`);
      }
    }
    expect(without).toEqual(['fold-and-letter']);
  });

  test('every picture that an offer names is served', async () => {
    const names = new Set(DEMO_OFFERS.flatMap(({ assets = [] }) => assets.map(({ picture }) => picture)));
    expect(names.size).toBeGreaterThan(15);
    for (const name of names) expect((await get(`/pictures/${name}.svg`)).status, name).toBe(200);
  });

  test('a picture is an SVG with a title and without scripts', async () => {
    const markup = await (await get('/pictures/coffee-bag.svg')).text();
    expect(markup).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"/);
    expect(markup).toContain('<title>A bag of coffee</title>');
    expect(markup).not.toMatch(/<script|href=|on\w+=/);
  });

  test('an unknown picture is a 404, whatever its name', async () => {
    for (const path of ['/logos/__proto__.svg', '/logos/..%2fkeys.svg', '/pictures/none.svg', '/pictures/%00.svg']) {
      expect((await get(path)).status, path).toBe(404);
    }
  });
});

describe('landing pages', () => {
  test('a click lands on a page that names the advertiser and the offer as text, never as markup', async () => {
    const advertiser = { name: 'Morrow & Bean', logo_url: '' };
    const id = await world.offer({ advertiser, metadata: { type: 'PROMO_CODE', code: 'HALFBOX' } });
    const response = await get(`/visit/${id}`);
    const html = await response.text();
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(html).toContain('You have arrived at <bdi>Morrow &#38; Bean</bdi>');
    expect(html).toContain('A teapot for you');
    expect(html).toContain('<code>HALFBOX</code>');
    expect(html).not.toContain('<script');
  });

  test('an unknown offer is a 404 page', async () => {
    for (const id of ['nothing', '%00', '%F0%9F%98%80']) expect((await get(`/visit/${id}`)).status, id).toBe(404);
  });

  test('the privacy page of the footer exists', async () => {
    expect(await (await get('/privacy')).text()).toContain('Privacy in the sandbox');
  });
});

describe('the contract', () => {
  test('/openapi.yaml is the contract that the network is checked against', async () => {
    const response = await get('/openapi.yaml');
    expect(response.headers.get('content-type')).toContain('yaml');
    const text = await response.text();
    expect(parse(text)).toEqual(JSON.parse(JSON.stringify(CONTRACT)));
    expect(text).not.toMatch(/^[^"']*[&*]a\d+/m);
  });

  test('/ links to it, without scripts or other hosts', async () => {
    const html = await (await get('/')).text();
    expect(html).toContain('<a href="/openapi.yaml">');
    // Otherwise a browser asks for one, and reports a 404 in the console.
    expect(html).toContain('<link rel="icon" href="data:,">');
    expect(html).not.toMatch(/<script|https?:\/\/|@import/);
  });
});
