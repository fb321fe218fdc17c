import { getExtension } from '@shopify/ui-extensions-tester';
import { Window } from 'happy-dom';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createRelay } from '../../src/relay.ts';
import { shopify, type ShopifyOptions } from '../../src/relay-shopify.ts';
import { accept, createScriptedNetwork, json, KEY, type ScriptedNetwork } from '../relay/scriptedNetwork.ts';
import { claims, CLIENT_ID, SECRET, sign } from '../relay/shopify/token.ts';
import english from '../../examples/shopify/locales/en.default.json' with { type: 'json' };
import { threeOffers } from './threeOffers.ts';
import { letPass, useClock } from '../fixtures/turnedClock.ts';

useClock();

// As in the platform's worker: a document of the extension's own, and no window.
Object.assign(globalThis, { document: new Window().document });

const texts: Record<string, string> = english;
const RELAY = 'https://relay.example/offers';
const options = { configSearchDir: `${process.cwd()}/examples/shopify` };
const thankYou = getExtension('purchase.thank-you.block.render', options);
const orderStatus = getExtension('customer-account.order-status.block.render', options);
type Extension = typeof thankYou | typeof orderStatus;

let network: ScriptedNetwork;
let requests: Request[];
let store: Map<string, unknown>;

/** The platform around the extension, the relay that it calls, and the network behind that. */
function prepare(extension: Extension, token = (): string => sign(), context?: ShopifyOptions['context']): void {
  extension.setUp();
  // What a test leaves queued may be sent while the next one runs.
  const mine = requests;
  const relay = createRelay({
    ...shopify({ clientId: CLIENT_ID, clientSecret: SECRET, context }),
    apiKey: KEY,
    version: '1.0.0',
    networkUrl: 'https://network.example',
    basePath: '/offers',
    fetch: network.fetch,
    onLog: () => undefined,
  });
  extension.fetch = async (input, init) => {
    const request = new Request(input, {
      ...init,
      headers: { ...(init?.headers as Record<string, string>), origin: 'null' },
    });
    mine.push(request.clone());
    return relay(request);
  };
  extension.shopify.settings.value = { relay: RELAY };
  extension.shopify.i18n.translate = ((name: string) => texts[name]) as typeof extension.shopify.i18n.translate;
  extension.shopify.sessionToken.get = async () => token();
  extension.shopify.storage = {
    read: async (key: string) => (store.get(key) ?? null) as never,
    write: async (key: string, data: unknown) => void store.set(key, structuredClone(data)),
    delete: async (key: string) => void store.delete(key),
  };
}

beforeEach(() => {
  network = createScriptedNetwork();
  network.respondWith((call) => (call.path === '/recommendations' ? json(200, threeOffers()) : accept(call)));
  requests = [];
  store = new Map();
});
afterEach(() => {
  thankYou.tearDown();
  orderStatus.tearDown();
  vi.restoreAllMocks();
});

const names = (): unknown[] => network.events().map(({ event_name }) => event_name);
const find = (selector: string): HTMLElement | null => document.body.querySelector(selector);
const text = (): string => document.body.textContent ?? '';
const button = (label: string): HTMLElement => {
  const found = [...document.body.querySelectorAll<HTMLElement>('s-button')].find((each) => each.textContent === label);
  if (!found) throw new Error(`There is no button "${label}" in: ${document.body.innerHTML}`);
  return found;
};

test('offers are requested with the session token and shown with the platform’s elements', async () => {
  prepare(thankYou, undefined, ({ sub }) => ({ user_details: { external_guid: sub ?? 'guest' } }));
  await thankYou.render();
  await vi.waitFor(() => expect(text()).toContain('Heading 1'));
  expect(requests[0]?.headers.get('authorization')).toMatch(/^Bearer ey/);
  expect(network.calls[0]?.body).toMatchObject({
    user_details: { external_guid: 'guest' },
    placement_details: { view: 'THANK_YOU', display_mode: 'INLINE' },
    order_details: { order_id: 'gid://shopify/Order/1' },
    attributes: { language: 'en' },
  });
  expect(find('s-badge')?.textContent).toBe('Sponsored');
  expect(text()).toContain('Offer 1 of 3');
  expect(find('s-button[variant=primary]')?.getAttribute('href')).toBe('https://partner.example/1');
  expect(find('s-button[variant=primary]')?.getAttribute('target')).toBe('_blank');
  expect([...document.body.querySelectorAll('*')].every(({ localName }) => localName.startsWith('s-'))).toBe(true);
  await vi.waitFor(() => expect(names()).toEqual(['WIDGET_LOAD', 'WIDGET_DISPLAY', 'BRAND_DISPLAY']));
});

/** Sets what the platform says about where the extension runs. */
function setPlace(place: object): void {
  const extension = { target: 'purchase.thank-you.block.render', ...place };
  thankYou.shopify.extension = extension as typeof thankYou.shopify.extension;
}

test('in the checkout editor a placeholder is shown, and nothing is requested, stored or counted', async () => {
  prepare(thankYou);
  setPlace({ editor: { type: 'checkout' } });
  await thankYou.render();
  await vi.waitFor(() => expect(text()).toContain('Offers of partners appear here after the purchase.'));
  expect(find('s-badge')?.textContent).toBe('Sponsored');
  await letPass(100);
  expect([requests, [...store.keys()]]).toEqual([[], []]);
  expect(text()).not.toContain('Heading');
});

test('displays are counted once the extension is on the screen', async () => {
  prepare(thankYou);
  const listeners = new Set<(isRendered: boolean) => void>();
  const rendered = { value: false, subscribe: (each: (isRendered: boolean) => void) => void listeners.add(each) };
  setPlace({ rendered });
  await thankYou.render();
  await vi.waitFor(() => expect(text()).toContain('Heading 1'));
  await vi.waitFor(() => expect(names()).toEqual(['WIDGET_LOAD']));
  await letPass(100);
  expect(names()).toEqual(['WIDGET_LOAD']);
  rendered.value = true;
  for (const listener of listeners) listener(true);
  await vi.waitFor(() => expect(names()).toEqual(['WIDGET_LOAD', 'WIDGET_DISPLAY', 'BRAND_DISPLAY']));
  for (const listener of listeners) listener(true);
  await letPass(100);
  expect(names()).toHaveLength(3);
});

test('what was held for offers that are gone is not counted', async () => {
  prepare(thankYou);
  const listeners = new Set<(isRendered: boolean) => void>();
  const rendered = { value: false, subscribe: (each: (isRendered: boolean) => void) => void listeners.add(each) };
  setPlace({ rendered });
  const { customerPrivacy } = thankYou.shopify;
  let decide: ((privacy: typeof customerPrivacy.value) => void) | undefined;
  customerPrivacy.subscribe = (listener) => {
    decide = listener as typeof decide;
    return () => undefined;
  };
  await thankYou.render();
  await vi.waitFor(() => expect(text()).toContain('Heading 1'));
  const allowedProcessing = { ...customerPrivacy.value.allowedProcessing, marketing: false };
  decide?.({ ...customerPrivacy.value, allowedProcessing });
  await vi.waitFor(() => expect(document.body.innerHTML).toBe(''));
  rendered.value = true;
  for (const listener of listeners) listener(true);
  await letPass(100);
  expect(names()).not.toContain('BRAND_DISPLAY');
});

test('accept is a link that counts one click; then the code is shown, and the next offer follows', async () => {
  prepare(thankYou);
  await thankYou.render();
  await vi.waitFor(() => expect(text()).toContain('Heading 1'));
  button('Accept 1').click();
  await vi.waitFor(() => expect(text()).toContain('CODE-1'));
  expect(text()).toContain('Thanks 1');
  await vi.waitFor(() => expect(names()).toContain('BRAND_CLICK'));
  await letPass(450);
  button('Next').click();
  await vi.waitFor(() => expect(text()).toContain('Heading 2'));
  await vi.waitFor(() => expect(names().filter((name) => name === 'BRAND_DISPLAY')).toHaveLength(2));
  expect(names().filter((name) => name === 'BRAND_CLICK')).toHaveLength(1);
  expect(names().join()).not.toContain('VIEW');
});

test('after the last decline nothing is left, and a double click declines one offer only', async () => {
  prepare(thankYou);
  await thankYou.render();
  await vi.waitFor(() => expect(text()).toContain('Heading 1'));
  for (const number of [1, 2, 3]) {
    await vi.waitFor(() => expect(text()).toContain(`Heading ${number}`));
    await letPass(450);
    const decline = button(`Decline ${number}`);
    // However long it takes to render in between.
    const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
    decline.click();
    await letPass(20);
    decline.click();
    clock.mockRestore();
  }
  await vi.waitFor(() => expect(document.body.innerHTML).toBe(''));
  await vi.waitFor(() => expect(names().filter((name) => name === 'ELEMENT_CLICK')).toHaveLength(3));
});

test('without consent to marketing nothing is requested or stored, and a later yes shows the offers', async () => {
  prepare(thankYou);
  const { customerPrivacy } = thankYou.shopify;
  let listener: ((value: typeof customerPrivacy.value) => void) | undefined;
  customerPrivacy.value = {
    ...customerPrivacy.value,
    allowedProcessing: { ...customerPrivacy.value.allowedProcessing, marketing: false },
  };
  customerPrivacy.subscribe = (each) => {
    listener = each as typeof listener;
    return () => undefined;
  };
  await thankYou.render();
  await letPass(50);
  expect([requests.length, [...store.keys()], document.body.innerHTML]).toEqual([0, [], '']);
  const decide = (marketing: boolean): void =>
    listener?.({
      ...customerPrivacy.value,
      allowedProcessing: { ...customerPrivacy.value.allowedProcessing, marketing },
    });
  decide(true);
  await vi.waitFor(() => expect(text()).toContain('Heading 1'));
  decide(false);
  await vi.waitFor(() => expect(document.body.innerHTML).toBe(''));
});

test('the order-status page requests its own view', async () => {
  prepare(orderStatus);
  await orderStatus.render();
  await vi.waitFor(() => expect(text()).toContain('Heading 1'));
  expect(network.calls[0]?.body).toMatchObject({ placement_details: { view: 'ORDER_STATUS', display_mode: 'INLINE' } });
});

test('a token that the relay refuses leaves the page empty, and nothing reaches the network', async () => {
  prepare(thankYou, () => sign(claims({ aud: 'another' })));
  await thankYou.render();
  await vi.waitFor(() => expect(requests).toHaveLength(1));
  await letPass(50);
  expect([document.body.innerHTML, network.calls]).toEqual(['', []]);
});

test('without a relay in the settings nothing is requested, and the console says what is missing', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  prepare(thankYou);
  thankYou.shopify.settings.value = { relay: undefined };
  await thankYou.render();
  await vi.waitFor(() => expect(warn).toHaveBeenCalledWith(expect.stringContaining('relay is missing')));
  expect(requests).toEqual([]);
});
