// @vitest-environment happy-dom
import { afterEach, expect, test, vi } from 'vitest';
import { messagesFor } from '../../src/widget/messages.ts';
import { mountWidget, type MountedWidget } from '../../src/widget/mountWidget.tsx';
import type { ShopperAction, Viewable, WidgetProps } from '../../src/widget/props.ts';
import { FOOTER, hero, list, pictures, placed } from './offers.ts';

let mounted: MountedWidget | undefined;
afterEach(() => {
  mounted?.remove();
  document.body.replaceChildren();
  vi.useRealTimers();
});

interface Shown {
  root: ShadowRoot;
  actions: ShopperAction[];
  watched: Map<string, Element | null>;
  /** Clicks, opens nothing, and returns whether the widget let the click through. */
  click(selector: string, init?: MouseEventInit): boolean;
  text(): string;
}

function show(props: Partial<WidgetProps> = {}): Shown {
  const host = document.body.appendChild(document.createElement('div'));
  const actions: ShopperAction[] = [];
  const watched = new Map<string, Element | null>();
  mounted = mountWidget(host, {
    mode: 'INLINE',
    groups: [hero(placed(0), placed(1), placed(2))],
    footer: FOOTER,
    sandbox: false,
    messages: messagesFor('en'),
    theme: 'auto',
    locale: 'en',
    watch: (subject, element) => watched.set(nameOf(subject), element),
    on: (action) => actions.push(action),
    ...props,
  });
  mounted.open();
  const root = host.shadowRoot ?? expect.fail('there is no shadow root');
  return {
    root,
    actions,
    watched,
    click(selector, init = {}) {
      const type = init.button === 1 ? 'auxclick' : 'click';
      const event = new MouseEvent(type, { bubbles: true, cancelable: true, composed: true, ...init });
      let isThrough = false;
      const stop = (last: Event): void => {
        isThrough = !last.defaultPrevented;
        last.preventDefault();
      };
      window.addEventListener(type, stop, { once: true });
      (root.querySelector(selector) ?? expect.fail(`there is no ${selector}`)).dispatchEvent(event);
      return isThrough;
    },
    text: () => root.querySelector('article')?.textContent ?? '',
  };
}

const nameOf = ({ offer, asset }: Viewable): string => asset?.id ?? offer?.offer_id ?? 'widget';
const types = ({ actions }: Shown): string[] => actions.map(({ type }) => type);
const CURRENT = 'article';
const positionIn = ({ root }: Shown): string | null | undefined =>
  root.querySelector('.position [role=img]')?.getAttribute('aria-label');

test('an offer shows its disclosure, advertiser, words and buttons in that order', () => {
  const text = show().text();
  const order = 'Sponsored|Larkspur|1/3|Your first bag|Delivered|Claim my|No, thanks|New customers'.split('|');
  const places = order.map((words) => text.indexOf(words));
  expect(places).toEqual([...places].sort((a, b) => a - b));
  expect(places).not.toContain(-1);
});

test('accept is a real link that reveals neither the URL nor the opener to the target', () => {
  const link = show().root.querySelector<HTMLAnchorElement>(`${CURRENT} [part=accept]`);
  expect(link?.href).toBe('https://brand.test/landing');
  expect([link?.target, link?.rel, link?.getAttribute('referrerpolicy')]).toEqual([
    '_blank',
    'noopener sponsored nofollow',
    'strict-origin',
  ]);
});

test('decline shows the next offer, back returns, and the last decline finishes', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const shown = show();
  shown.click(`${CURRENT} [part=decline]`);
  expect(positionIn(shown)).toBe('Offer 2 of 3');
  vi.advanceTimersByTime(500);
  shown.click(`${CURRENT} .back`);
  expect(positionIn(shown)).toBe('Offer 1 of 3');
  for (let step = 0; step < 3; step++) {
    vi.advanceTimersByTime(500);
    shown.click(`${CURRENT} [part=decline]`);
  }
  expect(types(shown)).toEqual(['decline', 'back', 'decline', 'decline', 'decline', 'dismiss']);
  expect(shown.actions.at(-1)).toEqual({ type: 'dismiss', by: 'finished' });
  expect(shown.root.childElementCount).toBe(0);
});

test('clicks on an offer within 400 ms of a step are ignored, those on the footer are not', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const shown = show();
  shown.click(`${CURRENT} [part=decline]`);
  vi.advanceTimersByTime(399);
  for (const part of ['[part=decline]', '[part=accept]', '.back']) shown.click(`${CURRENT} ${part}`);
  shown.click('footer a');
  vi.advanceTimersByTime(1);
  shown.click(`${CURRENT} [part=decline]`);
  expect(types(shown)).toEqual(['decline', 'footer', 'decline']);
});

test('only the offer that is shown is watched', () => {
  const shown = show();
  expect([...shown.watched.keys()].sort()).toEqual(['offer-0', 'widget']);
  shown.click(`${CURRENT} [part=decline]`);
  expect(shown.watched.get('offer-0')).toBeNull();
  expect(shown.watched.get('offer-1')).toBeInstanceOf(Element);
});

test('the promo code and the words for it appear after accept, and the offer is left by next', () => {
  const shown = show();
  expect(shown.text()).not.toContain('LARK-2026');
  shown.click(`${CURRENT} [part=accept]`);
  for (const words of ['LARK-2026', 'opens in a new tab', 'Open again', 'Next offer'])
    expect(shown.text()).toContain(words);
  shown.click(`${CURRENT} [part=decline]`);
  expect(types(shown)).toEqual(['accept', 'next']);
});

test('the copy button copies the code and says so, or selects it where the browser refuses', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const writeText = vi.fn(() => Promise.resolve()).mockRejectedValueOnce(new Error('refused'));
  vi.stubGlobal('navigator', { clipboard: { writeText } });
  const shown = show();
  shown.click(`${CURRENT} [part=accept]`);
  shown.click('.code button');
  await vi.waitFor(() => expect(String(getSelection())).toBe('LARK-2026'));
  expect(shown.text()).not.toContain('Copied');
  vi.advanceTimersByTime(500);
  shown.click('.code button');
  await vi.waitFor(() => expect(shown.text()).toContain('Copied'));
  expect(writeText).toHaveBeenCalledWith('LARK-2026');
});

test('for 400 ms a click beside a dialog was meant for the page', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const shown = show({ mode: 'OVERLAY' });
  shown.click('dialog');
  expect(shown.actions).toEqual([]);
  vi.advanceTimersByTime(400);
  shown.click('dialog');
  expect(shown.actions[0]).toEqual({ type: 'dismiss', by: 'backdrop' });
});

test('the Esc that closes the pull-up is not heard by the page', () => {
  const { root, actions } = show({ mode: 'PULLUP' });
  const press = new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, composed: true });
  root.querySelector('.handle')?.dispatchEvent(press);
  expect(actions).toEqual([{ type: 'dismiss', by: 'escape' }]);
  expect(press.cancelBubble).toBe(true);
});

test('a middle click is an accept, a right click is not', () => {
  const shown = show();
  shown.click(`${CURRENT} [part=accept]`, { button: 1 });
  expect(types(shown)).toEqual(['accept']);
  const right = new MouseEvent('auxclick', { bubbles: true, button: 2 });
  shown.root.querySelector('[part=accept]')?.dispatchEvent(right);
  expect(types(shown)).toEqual(['accept']);
});

test('a product tile is reported as a product and as an accept, a picture as an accept', () => {
  const shown = show({
    groups: [hero(placed(0, { assets: [...pictures(1), ...pictures(1, { id: 'image', asset_type: 'IMAGE' })] }))],
  });
  expect(shown.watched.get('asset-0')).toBeInstanceOf(Element);
  expect(shown.watched.has('image')).toBe(false);
  shown.click('.tiles a:first-child');
  shown.click('.tiles a:last-child');
  expect(types(shown)).toEqual(['product', 'accept', 'accept']);
  expect(shown.text()).not.toContain('LARK-2026');
});

test('a tile that triggers the claim flow shows the code', () => {
  const shown = show({ groups: [hero(placed(0, { assets: pictures(1, { should_trigger_claim_flow: true }) }))] });
  shown.click('.picture a');
  expect(shown.text()).toContain('LARK-2026');
});

test('one image is a picture, in a list as well; several are tiles', () => {
  const offer = placed(0, { assets: pictures(1) });
  const shown = show({ groups: [hero(offer)] });
  expect(shown.root.querySelectorAll('.picture a')).toHaveLength(1);
  expect(shown.root.querySelector('.tiles')).toBeNull();
  mounted?.remove();
  const { root } = show({ groups: [list(offer, placed(1, { assets: pictures(2) }))] });
  expect(root.querySelectorAll('.picture a')).toHaveLength(1);
  expect(root.querySelectorAll('.tiles a')).toHaveLength(2);
});

test('a second after accept, the text of the transition gives way to “opened”; the code stays', () => {
  vi.useFakeTimers();
  const shown = show();
  const status = (): string => shown.root.querySelector('[role=status]')?.textContent ?? '';
  shown.click(`${CURRENT} [part=accept]`);
  vi.advanceTimersByTime(999);
  expect(status()).toContain('The shop opens in a new tab.');
  vi.advanceTimersByTime(1);
  expect(status()).toContain('Opened in a new tab');
  expect(status()).not.toContain('The shop opens');
  expect(status()).toContain('LARK-2026');
});

test('a list has one mark, and names each of its offers as sponsored', async () => {
  const { root } = show({ groups: [list(placed(0), placed(1))] });
  await vi.waitFor(() => expect(root.querySelectorAll('article')).toHaveLength(2));
  expect(root.querySelectorAll('.badge')).toHaveLength(1);
  const names = [...root.querySelectorAll('article')].map((article) => article.getAttribute('aria-label'));
  expect(names).toEqual(['Sponsored: Larkspur Coffee', 'Sponsored: Nordlys Sleep']);
});

test('a list shows every offer with its heading, and drops what is declined', async () => {
  const shown = show({ groups: [list(placed(0), placed(1))] });
  expect(shown.root.querySelector('h2')?.textContent).toBe('More for you');
  await vi.waitFor(() => expect(shown.root.querySelectorAll('article')).toHaveLength(2));
  expect(positionIn(shown)).toBeUndefined();
  shown.click('article [part=decline]');
  expect(shown.root.querySelectorAll('article')).toHaveLength(1);
});

test('declining an offer in the middle of a list moves the focus to the next one, and from the last to the one before', () => {
  const shown = show({ groups: [list(placed(0), placed(1), placed(2)), list(placed(3), placed(4))] });
  const headings = () => [...shown.root.querySelectorAll('[part=heading]')];
  for (const [declined, focused] of [
    [2, 2],
    [3, 2],
  ] as const) {
    const next = headings()[declined === 3 ? 2 : 3];
    headings()[declined]?.closest('article')?.querySelector<HTMLElement>('[part=decline]')?.click();
    expect(shown.root.activeElement).toBe(next);
    expect(headings()[focused]).toBe(next);
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 1_000);
  }
  vi.restoreAllMocks();
});

test('only the shown offer of a hero is rendered, and of a long list a screenful first', async () => {
  const offers = Array.from({ length: 18 }, (_, number) => placed(number));
  const shown = show({ groups: [hero(...offers.slice(0, 3)), list(...offers.slice(3))] });
  const counts: number[] = [];
  const count = (): number => shown.root.querySelectorAll('article').length;
  expect(count()).toBe(9);
  await vi.waitFor(() => {
    if (count() !== counts.at(-1)) counts.push(count());
    expect(count()).toBe(16);
  });
  expect(counts.length).toBeGreaterThan(1);
  expect(positionIn(shown)).toBe('Offer 1 of 3');
});

test('parts that the network leaves out leave nothing behind', () => {
  const bare = placed(1, {
    subheading: undefined,
    metadata: undefined,
    disclosure_details: undefined,
    cta_details: { accept_copy: 'Yes', decline_copy: 'No' },
  });
  const shown = show({ groups: [hero(bare)], footer: {} });
  for (const selector of ['footer', 'details', '.tiles', '[part=subheading]', '.position', 'img', '.code']) {
    expect(shown.root.querySelector(selector), selector).toBeNull();
  }
  expect(shown.root.querySelector('[part=logo]')?.textContent).toBe('N');
});

test('no host of a logo or picture learns the page', () => {
  const { root } = show({ groups: [hero(placed(0, { assets: pictures(1) }))] });
  const policies = [...root.querySelectorAll('img')].map((image) => image.getAttribute('referrerpolicy'));
  expect(policies).toEqual(['no-referrer', 'no-referrer', 'no-referrer']);
});

test('the sandbox mark is shown when the relay requires it', () => {
  expect(show().text()).not.toContain('Sandbox');
  mounted?.remove();
  expect(show({ sandbox: true }).text()).toContain('Sandbox');
});

test('closing at once empties the shadow root and notifies the watcher', () => {
  const shown = show();
  mounted?.remove();
  expect(shown.root.childNodes).toHaveLength(0);
  expect([...shown.watched.values()].filter(Boolean)).toEqual([]);
  expect(shown.actions).toEqual([]);
});
