// @vitest-environment happy-dom
import { expect, test, vi } from 'vitest';
import { checkOptions, nameOf, OPTIONS, type OptionName, type Placement } from '../../src/session/checkOptions.ts';
import { isBot } from '../../src/wire/offers/request.ts';
import { firstOffers } from '../../src/wire/offers/readRecommendations.ts';
import { showOffers } from '../../src/page/showOffers.ts';
import { checkOnPage } from '../../src/page/checkOnPage.ts';
import { consentTexts, type LoadSources, readConsent } from '../../src/page/namedConsent.ts';
import type { ConsentSource } from '../../src/session/consent.ts';
import { readAttributes, type ShowOptions } from '../../src/page/showOptions.ts';
import { INTERNAL_FIELDS } from '../../vite.config.ts';
import type { PlacedGroup, PlacedOffer } from '../../src/wire/offers/response.ts';

const sources = async () => import('../../src/consent/byName.ts');
const BASE = 'https://shop.example/thanks?token=1';
const request = { user_details: { phone: '+49' }, placement_details: { view: 'THANK_YOU', display_mode: 'OVERLAY' } };

test('a path, a URL and a trailing slash all give the same relay URL', () => {
  for (const relay of ['/offers', '/offers/', ' /offers ', 'https://shop.example/offers//?x=1']) {
    expect(checkOptions({ relay, request }, { base: BASE })).toMatchObject({ relay: 'https://shop.example/offers' });
  }
});

test.each([undefined, null, '', ' ', 42, {}, 'javascript:alert(1)', 'data:,x', 'https://'])(
  '%j is not a relay URL',
  (relay) => {
    expect(checkOptions({ relay, request }, { base: BASE })).toMatchObject({
      code: 'invalid_config',
      message: 'relay is missing or not valid',
    });
  },
);

const PLACE = request.placement_details;
test.each<[what: string, request: object, name: string]>([
  ['an unknown view', { placement_details: { ...PLACE, view: 'BASKET' } }, 'view'],
  ['no display mode', { placement_details: { view: 'THANK_YOU' } }, 'display_mode'],
  ['two identifiers', { ...request, user_details: { phone: '+491', email: 'a@b.de' } }, 'one of email and phone'],
  ['an email where its hash belongs', { ...request, user_details: { email_hash: 'anna@example.com' } }, 'email_hash'],
])('%s: the hint says what to set, and repeats no email', (_, request, name) => {
  const checked = checkOptions({ relay: '/offers', request }, { base: BASE });
  expect(checked).toMatchObject({
    code: 'invalid_config',
    hint: expect.stringMatching(RegExp(`^Set ${name}( to |\\.)`)),
  });
  expect(JSON.stringify(checked)).not.toContain('anna@');
});

test('data-consent takes three words and sources by name, and nothing else gives consent', () => {
  const element = document.createElement('script');
  const check = (consent: string) => {
    element.setAttribute('data-consent', consent);
    const relay = 'https://shop.example/offers';
    const options = { ...readAttributes(element, 'data-', sources), relay, request };
    return checkOnPage(options as ShowOptions, { prefix: 'data-', consentTexts });
  };
  for (const word of ['required', ' granted', 'denied', 'onetrust:C0004', ' TCF:1,3', 'gpp'])
    expect(check(word)).not.toHaveProperty('code');
  const hint = `Set data-consent to ${consentTexts}.`;
  for (const word of ['false', 'denied?', 'no', 'Required', 'true', '', 'constructor', 'onetrsut:C0004', ':C0004'])
    expect(check(word)).toEqual({ code: 'invalid_config', message: 'data-consent is missing or not valid', hint });
});

test('a source by name loads the sources when it is asked; until then, and if they are missing, there is no decision', async () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue();
  vi.stubGlobal('OnetrustActiveGroups', ',C0001,C0004,');
  const read = (text: string, load: LoadSources = sources) => {
    const decisions: unknown[] = [];
    const source = readConsent(text, load) as ConsentSource;
    const stop = source((decision) => void decisions.push(decision));
    return { decisions, stop: stop as () => void, name: source.source };
  };
  const named = read('onetrust:C0004');
  expect([named.name, named.decisions]).toEqual(['onetrust:C0004', []]);
  await vi.waitFor(() => expect(named.decisions).toEqual([true]));
  named.stop();
  const missing = read('onetrust:C0004', () => Promise.reject(new Error('offerlet-consent.js did not load.')));
  const wrong = read('onetrust');
  await vi.waitFor(() => expect(warn).toHaveBeenCalledTimes(2));
  expect(warn.mock.calls.join()).toContain('offerlet-consent.js did not load.');
  expect(warn.mock.calls.join()).toContain('Write it like onetrust:C0004.');
  expect([missing.decisions, wrong.decisions]).toEqual([[], []]);
});

test.each([undefined, null, 'text', 42, []])('options that are %j are refused without throwing', (options) => {
  expect(checkOptions(options, { base: BASE })).toMatchObject({ code: 'invalid_config' });
});

test('options that cannot be read end in an outcome', async () => {
  vi.spyOn(console, 'warn').mockReturnValue();
  for (const name of ['target', 'theme', 'locale', 'messages', 'sandbox', 'maxOffers']) {
    const get = (): never => {
      throw Error('mine');
    };
    const options = Object.defineProperty({ relay: '/offers', request }, name, { enumerable: true, get });
    expect(await showOffers(options as unknown as ShowOptions).outcome, name).toMatchObject({ code: 'invalid_config' });
  }
});

const circular: Record<string, unknown> = { note: 'adnet_sk_live_x' };
circular['self'] = circular;

test.each<object>([
  { more: circular },
  { more: { big: 1n }, note: 'adnet_sk_live_x' },
  { more: { target: { storage: 'adnet_rk_live_x' } } },
  { apiKey: 'x' },
  { request: { ...request, secret: 'x' } },
  { request: { ...request, custom_metadata: { note: 'adnet_rk_test_abc' } } },
  { messages: { adnet_sk_live_abc: 'x' } },
  { attributes: { 'x-api-key': 'x' } },
])('a secret is noticed wherever it is: %#', (more) => {
  const checked = checkOptions({ relay: '/offers', request, ...more }, { base: BASE });
  expect(checked).toMatchObject({ code: 'invalid_config', message: 'The options contain a secret key' });
  expect(JSON.stringify(checked)).not.toMatch(/adnet_|apiKey/);
});

test('a publishable key, the word secret and an element are not secrets', () => {
  const more = {
    request: { ...request, custom_metadata: { note: 'secret', key: 'adnet_pk_live_abc' } },
    target: document.body,
  };
  expect(checkOptions({ relay: '/offers', ...more }, { base: BASE })).toMatchObject({ mode: 'OVERLAY' });
});

test('attributes become options in the wire’s shape; empty ones are ignored', () => {
  const script = document.createElement('script');
  const all = {
    relay: '/offers',
    view: 'THANK_YOU',
    'display-mode': 'OVERLAY',
    email: 'a@b.de',
    phone: '',
    'external-guid': ' ',
    'order-id': '7',
    'order-amount': '1.50',
    'order-currency': 'EUR',
    'max-offers': '2',
    'widget-id': 'w',
    sandbox: '',
  };
  for (const [name, value] of Object.entries(all)) script.setAttribute(`data-${name}`, value);
  const options = JSON.parse(JSON.stringify(readAttributes(script, 'data-', sources))) as Record<string, unknown>;
  delete options.attributes;
  expect(options).toEqual({
    relay: '/offers',
    request: {
      user_details: { email: 'a@b.de' },
      placement_details: { view: 'THANK_YOU', display_mode: 'OVERLAY', widget_id: 'w' },
      order_details: { order_id: '7', cost_details: { amount: '1.50', currency_code: 'EUR' } },
    },
    sandbox: true,
    maxOffers: 2,
  });
});

test('sandbox="false" turns the sandbox off', () => {
  const element = document.createElement('offer-let');
  expect(readAttributes(element, '', sources).sandbox).toBe(false);
  element.setAttribute('sandbox', 'false');
  expect(readAttributes(element, '', sources).sandbox).toBe(false);
});

test('maxOffers counts across groups and leaves no empty group', () => {
  const group = (id: string, count: number): PlacedGroup => ({
    id,
    offers: Array.from({ length: count }, () => ({}) as PlacedOffer),
  });
  const sizes = (most?: number) => firstOffers([group('a', 2), group('b', 2)], most).map(({ offers }) => offers.length);
  expect(sizes()).toEqual([2, 2]);
  expect(sizes(3)).toEqual([2, 1]);
  expect(sizes(2)).toEqual([2]);
});

test.each([
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0)',
  'Mozilla/5.0 (compatible; Baiduspider/2.0)',
  'AdsBot-Google (+http://www.google.com/adsbot.html)',
  'facebookexternalhit/1.1',
])('%s declares itself a bot', (agent) => {
  expect(isBot(agent)).toBe(true);
});

test.each([
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36',
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/156.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Linux; Android 12; CUBOT X70) AppleWebKit/537.36 Chrome/140 Mobile Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148 Safari/604.1',
])('%s is a shopper', (agent) => {
  expect(isBot(agent)).toBe(false);
});

test('what is computed, empty or of another kind costs no offers', () => {
  const check = (user: object, cost: object, more: object = {}) =>
    checkOptions(
      {
        relay: '/offers',
        ...more,
        request: { ...request, user_details: user, order_details: { order_id: '1', cost_details: cost } },
      },
      { base: BASE },
    ) as Placement;
  for (const [amount, currency_code, rounded] of [
    [3 * 9.95, 'EUR', 29.85],
    ['29.849999999999998', 'eur', '29.85'],
    [0.1 + 0.2, 'KWD', 0.3],
    [1234.5, 'JPY', 1235],
    [42, 'EUR', 42],
  ] as const)
    expect(check({ phone: '1' }, { amount, currency_code }).request.order_details).toEqual({
      order_id: '1',
      cost_details: { amount: rounded, currency_code },
    });
  for (const email of [null, '', ' ', undefined]) {
    expect(check({ email, external_guid: 'c-1' }, {}).request.user_details).toEqual({ external_guid: 'c-1' });
    expect(check({ email }, {}).request.user_details).toEqual({});
  }
  expect(check({ email_hash: 'AB'.repeat(32) }, {}).request.user_details?.email_hash).toBe('ab'.repeat(32));
  const { options, warnings } = check({}, {}, { signal: new AbortController() });
  expect([options.signal, warnings]).toEqual([
    undefined,
    ['signal is not valid and was left out. Use the signal of an AbortController.'],
  ]);
});

test.each(OPTIONS)(
  '%s: an attribute goes to its place, and what cannot be is refused or left out with what can',
  (name, [at, isValid, expected = '', isRefused = false]) => {
    if (at !== undefined) {
      const element = document.createElement('div');
      element.setAttribute(nameOf(name, ''), ' granted ');
      const options: unknown = readAttributes(element, '', sources);
      const read = at.split('.').reduce((fields, field) => Reflect.get(Object(fields), field), options);
      expect(read).toBe(name === 'sandbox' ? true : 'granted');
    }
    if (!isValid) return;
    const checked = checkOptions({ relay: 'https://shop.example/offers', request, [name]: 'x'.repeat(99) });
    expect('warnings' in checked ? checked.warnings.join(' ') : checked.hint).toContain(`${expected}.`);
    expect('code' in checked).toBe(isRefused);
  },
);

test.each(['', false, null, undefined])('what templates write for nothing, %j, is no option', (nothing) => {
  const checked = checkOptions({
    relay: 'https://shop.example/offers',
    request,
    fetch: nothing,
    headers: nothing,
    signal: nothing,
    theme: nothing,
    locale: nothing,
    maxOffers: nothing,
  });
  expect(checked).toMatchObject({
    warnings: [],
    options: { fetch: undefined, headers: undefined, signal: undefined, theme: undefined, locale: undefined },
  });
});

test('no option has a name that the build shortens', () => {
  // Those without an attribute: the compiler misses what is new here.
  const names: Record<Exclude<keyof ShowOptions, OptionName>, true> = {
    request: true,
    prefetched: true,
    onEvent: true,
    target: true,
    messages: true,
  };
  const all = [...Object.keys(names), ...OPTIONS.flatMap(([name, [at = '']]) => [name, ...at.split('.')])];
  expect(all.filter((name) => INTERNAL_FIELDS.test(name))).toEqual([]);
});

test('a key that a getter returns only later is not sent', () => {
  let reads = 0;
  const user_details = {
    get external_guid() {
      return (reads += 1) > 1 ? 'adnet_sk_test_canary0123456789' : 'u-1';
    },
  };
  const checked = checkOptions({ relay: '/offers', request: { ...request, user_details } }, { base: BASE });
  expect(checked).toMatchObject({ code: 'invalid_config' });
  expect(reads).toBeGreaterThan(1);
});
