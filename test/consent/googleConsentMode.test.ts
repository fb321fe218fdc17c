import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { googleConsentMode } from '../../src/consent.ts';
import { listen } from './listen.ts';

const page = globalThis as Record<string, unknown>;

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  for (const name of ['dataLayer', 'shopLayer', 'google_tag_data']) delete page[name];
});

const gtag: (...command: unknown[]) => void = function () {
  page.dataLayer ??= [];
  // oxlint-disable-next-line prefer-rest-params -- Google's snippet pushes the arguments object itself
  (page.dataLayer as unknown[]).push(arguments);
};

test('the page’s tag comes first: an update decides, a default of denied waits', () => {
  gtag('consent', 'default', { ad_storage: 'denied', wait_for_update: 500 });
  const { decisions, stop } = listen(googleConsentMode('ad_storage'));
  vi.advanceTimersByTime(1);
  expect(decisions).toEqual([]);
  gtag('js', new Date());
  gtag('consent', 'update', { analytics_storage: 'granted' });
  expect(decisions).toEqual([]);
  gtag('consent', 'update', { ad_storage: 'granted' });
  gtag('consent', 'update', { ad_storage: 'denied' });
  expect(decisions).toEqual([true, false]);
  stop();
  gtag('consent', 'update', { ad_storage: 'granted' });
  expect(decisions).toEqual([true, false]);
  expect(page.dataLayer).toHaveLength(6);
});

test('a default of denied that comes late takes back what a default granted', () => {
  const { decisions } = listen(googleConsentMode('ad_storage'));
  gtag('consent', 'default', { ad_storage: 'granted' });
  vi.advanceTimersByTime(1);
  gtag('consent', 'default', { ad_storage: 'denied', region: ['DE'] });
  gtag('consent', 'default', { ad_storage: 'denied', region: ['FR'] });
  vi.advanceTimersByTime(1);
  expect(decisions).toEqual([true, false]);
  gtag('consent', 'update', { ad_storage: 'granted' });
  gtag('consent', 'default', { ad_storage: 'denied' });
  expect(decisions).toEqual([true, false, true]);
});

test('when the tag loads later, nothing that it pushes is lost, not even through its own wrapper', () => {
  const { decisions, stop } = listen(googleConsentMode('ad_storage'));
  const layer = page.dataLayer as unknown[];
  const { push } = layer;
  layer.push = (...commands) => push.apply(layer, commands);
  gtag('consent', 'update', { ad_storage: 'granted' });
  expect(decisions).toEqual([true]);
  stop();
  gtag('consent', 'update', { ad_storage: 'denied' });
  expect(decisions).toEqual([true]);
  expect(layer).toHaveLength(2);
});

test.each([
  ['in every region', [{ ad_storage: 'granted' }], [true]],
  ['except for one region', [{ ad_storage: 'granted' }, { ad_storage: 'denied', region: ['ES'] }], []],
  ['except for one region, named first', [{ ad_storage: 'denied', region: ['ES'] }, { ad_storage: 'granted' }], []],
  ['in one region', [{ ad_storage: 'granted', region: ['US'] }], []],
])('defaults that grant it %s', (_, defaults, expected) => {
  const { decisions, stop } = listen(googleConsentMode('ad_storage'));
  for (const state of defaults) gtag('consent', 'default', state);
  vi.advanceTimersByTime(1);
  expect(decisions).toEqual(expected);
  stop();
});

test('an update is newer than the defaults', () => {
  const { decisions } = listen(googleConsentMode('ad_storage'));
  gtag('consent', 'default', { ad_storage: 'granted' });
  gtag('consent', 'update', { ad_storage: 'denied' });
  vi.advanceTimersByTime(1);
  expect(decisions).toEqual([false]);
});

test('after a page replaces its layer, the new one is followed and the old one is not', () => {
  const { decisions, stop } = listen(googleConsentMode('ad_storage'));
  const old = page.dataLayer as unknown[];
  page.dataLayer = [['consent', 'update', { ad_storage: 'granted' }]];
  vi.advanceTimersByTime(250);
  expect(decisions).toEqual([true]);
  old.push(['consent', 'update', { ad_storage: 'denied' }]);
  expect(decisions).toEqual([true]);
  gtag('consent', 'update', { ad_storage: 'denied' });
  expect(decisions).toEqual([true, false]);
  stop();
  page.dataLayer = [['consent', 'update', { ad_storage: 'granted' }]];
  vi.advanceTimersByTime(1_000);
  expect([decisions, vi.getTimerCount()]).toEqual([[true, false], 0]);
});

test('a layer of another name is read, and the usual one is not', () => {
  page.shopLayer = [['consent', 'update', { ad_storage: 'granted' }]];
  gtag('consent', 'update', { ad_storage: 'denied' });
  const { decisions, stop } = listen(googleConsentMode('ad_storage', { dataLayer: 'shopLayer' }));
  (page.shopLayer as unknown[]).push(['consent', 'update', { ad_storage: 'denied' }]);
  expect(decisions).toEqual([true, false]);
  stop();
});

describe('updates that a template makes without the data layer', () => {
  /** The state that Google's tags keep. */
  function tagState(update: unknown): void {
    page.google_tag_data = { ics: { entries: { ad_storage: { default: true, update } } } };
  }

  test('each of them decides, and only true gives consent', () => {
    gtag('consent', 'default', { ad_storage: 'denied' });
    const { decisions, stop } = listen(googleConsentMode('ad_storage'));
    for (const update of [undefined, 'true', 1, 'granted']) {
      tagState(update);
      vi.advanceTimersByTime(250);
    }
    expect(decisions).toEqual([]);
    tagState(true);
    vi.advanceTimersByTime(1_000);
    expect(decisions).toEqual([true]);
    tagState(false);
    vi.advanceTimersByTime(250);
    expect(decisions).toEqual([true, false]);
    stop();
  });

  test('stale consent does not override the denial in the data layer', () => {
    tagState(true);
    gtag('consent', 'update', { ad_storage: 'denied' });
    const { decisions, stop } = listen(googleConsentMode('ad_storage'));
    vi.advanceTimersByTime(1_000);
    expect(decisions).toEqual([false]);
    stop();
  });

  test('an error that the page throws when its state is read does not reach the page', () => {
    Object.defineProperty(page, 'google_tag_data', {
      configurable: true,
      get: () => {
        throw Error('mine');
      },
    });
    const { decisions, stop } = listen(googleConsentMode('ad_storage'));
    expect(() => vi.advanceTimersByTime(1_000)).not.toThrow();
    expect(decisions).toEqual([]);
    stop();
  });
});

test('anything may be in the layer', () => {
  page.dataLayer = [null, 1, 'consent', {}, [], ['consent'], ['consent', 'update'], ['consent', 'update', null]];
  expect(listen(googleConsentMode('ad_storage')).decisions).toEqual([]);
  expect(listen(googleConsentMode('__proto__')).decisions).toEqual([]);
});

test('a push of the page never throws because of what it pushes', () => {
  const { decisions } = listen(googleConsentMode('ad_storage'));
  const layer = page.dataLayer as unknown[];
  const hostile = {
    get ad_storage(): string {
      throw Error('mine');
    },
    get region(): string {
      throw Error('mine');
    },
  };
  layer.push({ first: 'consent', action: 'update', state: { ad_storage: 'granted' } });
  layer.push(Object.defineProperty({}, 'event', { enumerable: true, get: () => layer.push(hostile.region) }));
  layer.push(['event', 'purchase', hostile], ['consent', 'update', hostile], Object.create(null));
  gtag('consent', 'update', { ad_storage: 'granted' });
  expect([decisions, layer.length]).toEqual([[true], 6]);
});
