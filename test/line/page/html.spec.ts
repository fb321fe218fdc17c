// Offers in the page's own HTML: seen before the script, taken over by it without a trace, or gone with their successor.
import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { shopperCheck } from '../../../src/wire/offers/prefetched.ts';
import { poll } from '../drivers/poll.ts';
import {
  accept,
  cardOf,
  COMMITTED,
  hold,
  largestDifference,
  LONG,
  observe,
  outcomeOf,
  POLICY,
  responseWith,
  SHADOW,
  shopWith,
  styleHash,
  type ShopOptions,
} from './htmlPage.ts';
import { offersOf, useFixture } from './pageFixture.ts';
import { block, HASH, inScript, scriptTag } from './pageShop.ts';
import { letPass, paint } from '../drivers/letPass.ts';

const fixture = useFixture();
test.beforeEach(async ({ page }) => {
  await page.route('https://cdn.example/**', (route) => route.fulfill({ contentType: 'image/svg+xml', body: LOGO }));
  await page.route('https://fails.example/**', (route) => route.abort());
});

type Json = ReturnType<typeof block>;
const shop = (html: string, rest: string, options?: ShopOptions) => shopWith(fixture, html, rest, options);
const ONCE = ['BRAND_DISPLAY', 'BRAND_VIEW', 'WIDGET_DISPLAY', 'WIDGET_LOAD', 'WIDGET_VIEW'];
const requests = (): number => fixture.asked.filter(({ path }) => path.endsWith('/recommendations')).length;
/** Another response than the card's. */
const other = (heading: string): Record<string, unknown> =>
  JSON.parse(JSON.stringify(offersOf(1)).replace('Heading 1', heading)) as Record<string, unknown>;

const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle cx="4" cy="4" r="4" fill="teal"/></svg>';
const DETAILS = { copy: 'New customers only.', content: 'One per household.', target_url: 'https://brand.test/terms' };
const tea = responseWith((offer, advertiser) => {
  delete advertiser['logo_url'];
  Object.assign(offer, { heading: `Tea. ${LONG}`, subheading: LONG, disclosure_details: DETAILS });
});
const pictured = responseWith((offer, advertiser) => {
  const image_url = 'https://fails.example/picture.jpg';
  offer['assets'] = [{ id: 'p', asset_type: 'IMAGE', image_url, insertion_order: 1, should_trigger_claim_flow: false }];
  advertiser['logo_url'] = 'https://fails.example/logo.svg';
});
const listed = { ...responseWith(() => {}, 20) } as { recommendation_groups: { slot_context: string }[] };
for (const group of listed.recommendation_groups) group.slot_context = 'SCROLLABLE';

for (const [what, response, options, context] of [
  ['long copy and no logo', tea, { locale: 'en' }, {}],
  ['a list on a phone', listed, { locale: 'en' }, { viewport: { width: 360, height: 740 } }],
  ['right-to-left text', tea, { locale: 'ar' }, {}],
  ['pictures that fail', pictured, { locale: 'en' }, {}],
  ['forced colours', tea, { locale: 'en' }, { forcedColors: 'active' }],
  [
    'a dark page at 200 %',
    tea,
    { locale: 'en', theme: 'dark' },
    { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 },
  ],
] as const) {
  test.describe(what, () => {
    test.use(context);

    test(`the script takes over a card with ${what}: no pixel, node, focus, selection or opened text changes`, async ({
      page,
    }) => {
      await observe(page);
      const release = await hold(page);
      const json = block({ response: { ...response, session_id: crypto.randomUUID() } });
      const attributes = options.locale === 'ar' ? { locale: 'ar' } : 'theme' in options ? { theme: 'dark' } : {};
      await page.goto(
        shop(cardOf(json, options), inScript(json) + scriptTag(attributes), { lang: options.locale }),
        COMMITTED,
      );
      await expect(accept(page).first()).toBeVisible();
      await page.evaluate(`(() => {
        const root = ${SHADOW};
        const heading = root.querySelector('[part=heading]');
        root.querySelector('details')?.setAttribute('open', '');
        getSelection().selectAllChildren(heading);
        root.querySelector('[part=accept]').focus({ preventScroll: true });
        Object.assign(window, { root, nodes: [...root.querySelectorAll('section, section *')], selected: String(getSelection()) });
      })()`);
      // By then, nothing is painted anew for any other reason.
      await page.evaluate(
        `Promise.all([...root.querySelectorAll('img')].map((image) => ((image.loading = 'eager'), image.decode().catch(() => 0))))`,
      );
      // Buttons that do nothing yet leave after a while.
      await page.evaluate('root.getAnimations().forEach((animation) => animation.pause())');
      // What has moved was the test's own doing.
      await paint(page);
      await page.evaluate('void (seen.shift = 0)');
      const before = await page.screenshot();
      release();
      await poll(() => outcomeOf(page)).toBe('rendered');
      // The ground of a tile without its picture covers the tile's until then: its round corners are smoothed twice.
      const difference = await largestDifference(page, [before, await page.screenshot()]);
      expect(difference).toBeLessThanOrEqual(what === 'pictures that fail' ? 16 : 0);
      expect(
        await page.evaluate(`(() => {
          return {
            isSame: nodes.every(({ isConnected }) => isConnected),
            focus: root.activeElement?.getAttribute('part'),
            isOpen: [...root.querySelectorAll('details')].slice(0, 1).every(({ open }) => open),
            isSelected: String(getSelection()) === selected,
            host: root.host.outerHTML,
          };
        })()`),
      ).toEqual({ isSame: true, focus: 'accept', isOpen: true, isSelected: true, host: '<div></div>' });
      const notOfOffers = (names: string[]) => names.filter((name) => !name.startsWith('BRAND_')).toSorted();
      await poll(() => notOfOffers(fixture.names())).toEqual(notOfOffers(ONCE));
      expect(await page.evaluate('[seen.violations, seen.shift]')).toEqual([[], 0]);
      expect(requests()).toBe(0);
    });
  });
}

test('the taken over card is the widget: it counts once, opens, and steps to the next offer', async ({
  page,
  context,
}) => {
  const json = block({ response: offersOf(2) });
  await page.goto(shop(cardOf(json), inScript(json) + scriptTag()), COMMITTED);
  await poll(() => fixture.names().toSorted()).toEqual(ONCE);
  await page.reload();
  await poll(() => outcomeOf(page)).toBe('rendered');
  const opened = context.waitForEvent('page');
  await accept(page).click();
  await (await opened).close();
  await page.locator('[part~=decline]').click();
  await expect(page.locator('[part~=heading]')).toHaveText('Heading 2');
  await poll(() => fixture.names()).toContain('BRAND_CLICK');
  const once = fixture.names().filter((name) => name === 'WIDGET_LOAD' || name === 'WIDGET_DISPLAY');
  expect(once.toSorted()).toEqual(['WIDGET_DISPLAY', 'WIDGET_LOAD']);
  expect(requests()).toBe(0);
});

/** What keeps no card hidden that is not hidden inside. */
const SHOWING = { head: '<style nonce="1">#offers *, section { display: flex !important }</style>' };

test('where the policy does not allow the style sheet, nothing is seen until the script comes', async ({ page }) => {
  await observe(page);
  const release = await hold(page);
  const json = block();
  await page.goto(
    shop(cardOf(json), inScript(json) + scriptTag(), { ...SHOWING, policy: POLICY.replace(styleHash, "'nonce-1'") }),
    COMMITTED,
  );
  await expect(page.getByText('Below')).toBeVisible();
  await expect(page.locator('#offers > div')).toBeHidden();
  await poll(() => page.evaluate('seen.frames')).toEqual(['']);
  release();
  await expect(accept(page)).toBeVisible();
  await expect(accept(page)).toHaveCSS('text-decoration-line', 'none'); // it is styled
  await poll(() => page.evaluate('seen.frames')).toEqual(['', 'Heading 1']);
});

test('with a style sheet from the same origin the card is seen once that is there, and the script takes it over', async ({
  page,
}) => {
  await observe(page);
  const releaseScript = await hold(page);
  fixture.page('/offerlet.css', readFileSync('dist/offerlet.css', 'utf8'), { 'content-type': 'text/css' });
  const releaseSheet = await hold(page, '**/offerlet.css');
  const json = block({ response: responseWith((_, advertiser) => void delete advertiser['logo_url']) });
  const card = cardOf(json, { stylesheet: '/offerlet.css' });
  await page.goto(
    shop(card, inScript(json) + scriptTag(), { ...SHOWING, policy: POLICY.replace(styleHash, "'nonce-1' 'self'") }),
    COMMITTED,
  );
  await poll(() => page.evaluate("Boolean(document.querySelector('#offers > div')?.shadowRoot)")).toBe(true);
  await expect(page.locator('#offers > div')).toBeHidden();
  releaseSheet();
  await expect(accept(page)).toBeVisible();
  const before = await page.screenshot();
  releaseScript();
  await poll(() => outcomeOf(page)).toBe('rendered');
  expect(await largestDifference(page, [before, await page.screenshot()])).toBe(0);
  await poll(() => page.evaluate('[seen.violations, seen.frames.filter(Boolean)]')).toEqual([[], ['Heading 1']]);
  await expect(page.locator('#offers link')).toHaveCount(0);
});

test('buttons that no script makes work leave after ten seconds, and their place stays', async ({ page }) => {
  const release = await hold(page);
  const json = block();
  await page.goto(shop(cardOf(json), inScript(json) + scriptTag()), COMMITTED);
  const decline = page.locator('[part~=decline]');
  await expect(decline).toHaveCSS('cursor', 'progress');
  const heights = () => page.evaluate<number>("document.querySelector('#offers').offsetHeight");
  const height = await heights();
  expect(
    await page.evaluate(
      `${SHADOW}.getAnimations().map((animation) => (animation.finish(), animation.effect.getTiming().delay))`,
    ),
  ).toEqual([10_000]);
  await expect(decline).toBeHidden();
  expect(await heights()).toBe(height);
  release();
  await expect(decline).toBeVisible();
  await expect(decline).toHaveCSS('cursor', 'pointer');
});

test('without JavaScript the card can be read to its end, and its link works', async ({ browser }) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  const response = responseWith((offer) =>
    Object.assign(offer, { subheading: `${LONG.slice(0, 300)} THE END`, target_url: fixture.page('/brand', 'Brand') }),
  );
  const json = block({ response: { ...response, sandbox: true } });
  await page.goto(shop(cardOf(json), inScript(json) + scriptTag()), COMMITTED);
  await expect(page.getByText('THE END')).toBeVisible();
  expect(
    await page.locator('[part~=subheading]').evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight),
  ).toBe(0);
  await expect(page.locator('[part~=decline]')).toBeHidden();
  const opened = context.waitForEvent('page');
  await accept(page).click();
  await expect((await opened).getByText('Brand')).toBeVisible();
  await page.emulateMedia({ media: 'print' });
  await expect(accept(page)).toBeHidden();
  await context.close();
});

for (const [what, blocks] of [
  ['of another shopper', (json: Json) => inScript({ ...json, shopper: { email_hash: shopperCheck('b', '1001') } })],
  ['without a block', () => ''],
  ['of another session than its block', () => inScript(block({ response: other('Requested') }))],
] as const) {
  test(`a card ${what} leaves in the frame in which its successor comes, and is not counted`, async ({ page }) => {
    await observe(page);
    const release = await hold(page);
    const json = block({ response: other('Card') });
    fixture.reply = () => other('Requested');
    await page.goto(shop(cardOf(json), blocks(json) + scriptTag()), COMMITTED);
    await expect(accept(page)).toBeVisible();
    release();
    await expect(page.locator('[part~=heading]')).toHaveText('Requested');
    const seen = () => page.evaluate('seen.frames.filter((heading, at) => at > 0 || heading)');
    await poll(seen).toEqual(['Card', 'Requested']);
    await poll(() => fixture.names()).toContain('WIDGET_VIEW');
    const { session_id } = json.response as { session_id: string };
    expect(fixture.events.filter((event) => event.session_id === session_id)).toEqual([]);
  });
}

test('a denial, a withdrawal, a failure and destroy() take the card away', async ({ page }) => {
  const json = block();
  const open = async (tag: string): Promise<void> => {
    const release = await hold(page);
    await page.goto(shop(cardOf(json), inScript({ ...json, order_id: '7' }) + tag), COMMITTED);
    await expect(accept(page)).toBeVisible();
    release();
    await poll(() => page.evaluate('Boolean(window.offerlet?.explain)')).toBe(true);
  };
  await open(scriptTag({ consent: 'denied' }));
  await expect(accept(page)).toHaveCount(0);
  expect(fixture.asked).toEqual([]);

  // Before the card has come. What waited for that has gone as well.
  const early = scriptTag({ consent: 'denied' }).replace(' async', '');
  await page.goto(shop(cardOf(json), inScript(json), { head: early }));
  await expect(accept(page)).toHaveCount(0);
  await page.evaluate("document.querySelector('#offers').toggleAttribute('data-offerlet-card')");
  await page.dispatchEvent('html', 'DOMContentLoaded');
  await expect(page.locator('#offers')).toBeAttached();

  await open(scriptTag({ consent: 'required' }));
  await expect(accept(page)).toBeVisible();
  await page.evaluate('offerlet.consent(false)');
  expect(await page.evaluate("document.querySelector('#offers').childElementCount")).toBe(0);
  expect(fixture.asked).toEqual([]);

  fixture.reply = (_, response) => void response.writeHead(503).end();
  await open(scriptTag());
  await expect(accept(page)).toHaveCount(0);
  fixture.reply = () => new Promise(() => {});
  await open(scriptTag());
  await page.evaluate('offerlet.destroy()');
  await expect(accept(page)).toHaveCount(0);
});

test('of a card that stands twice, one stays and is counted once; two orders keep a card each', async ({ page }) => {
  const [first, second] = [block(), block({ order_id: '1002', response: other('Second') })];
  const rest = `<div id="more">${cardOf(second)}</div>${cardOf(first)}`;
  const tags = scriptTag() + inScript(first) + inScript(second);
  await page.goto(shop(cardOf(first) + cardOf(first), rest + tags), COMMITTED);
  await page.evaluate(`(window.offerlet ??= []).push((page) => page.show({ relay: '/offers', target: '#more', request: { user_details: { email_hash: '${HASH}' },
    placement_details: { view: 'THANK_YOU', display_mode: 'INLINE' }, order_details: { order_id: '1002' } } }))`);
  await poll(() => page.evaluate('offerlet.explain?.().map(({ outcome }) => outcome?.code)')).toEqual([
    'rendered',
    'rendered',
  ]);
  await expect(page.locator('[part~=heading]')).toHaveText(['Heading 1', 'Second']);
  await poll(() => fixture.names().filter((name) => name === 'WIDGET_VIEW').length).toBe(2);
  expect(fixture.names().filter((name) => name === 'WIDGET_LOAD')).toHaveLength(2);
  expect(requests()).toBe(0);
});

test('a card that something has edited says what the block says once it is taken over', async ({ page }) => {
  const release = await hold(page);
  const json = block({ response: offersOf(2) });
  await page.goto(shop(cardOf(json), inScript(json) + scriptTag()), COMMITTED);
  await expect(page.locator('[part~=decline]')).toBeVisible();
  await page.evaluate(`(() => {
    const root = ${SHADOW};
    root.querySelector('[part=heading]').textContent = 'Free money';
    root.querySelector('[part=accept]').href = 'https://evil.example/';
    root.querySelector('[part=decline]').remove();
    root.querySelector('.words').append(Object.assign(document.createElement('p'), { textContent: 'Trust me' }));
    root.querySelector('.badge').textContent = '';
  })()`);
  release();
  await poll(() => outcomeOf(page)).toBe('rendered');
  await expect(page.locator('[part~=heading]')).toHaveText('Heading 1');
  await expect(accept(page)).toHaveAttribute('href', 'https://advertiser.example/1');
  await expect(page.getByText('Trust me')).toHaveCount(0);
  await expect(page.locator('.badge')).toHaveText('Sponsored');
  await page.locator('[part~=decline]').click();
  await expect(page.locator('[part~=heading]')).toHaveText('Heading 2');
});

test('a reload and the way back show the card of the session that was counted, taken over again', async ({ page }) => {
  await page.clock.install();
  const json = block();
  await page.goto(shop(cardOf(json), inScript(json) + scriptTag()));
  await poll(() => fixture.names().toSorted()).toEqual(ONCE);
  await observe(page);
  for (const load of [() => page.reload(), () => page.goto(fixture.page('/else', 'Else')).then(() => page.goBack())]) {
    await load();
    await poll(() => outcomeOf(page)).toBe('rendered');
    await poll(() => page.evaluate('seen.frames.filter(Boolean)')).toEqual(['Heading 1']);
  }
  // What is counted twice has been in view for a second.
  await letPass(page, 1_300);
  expect(fixture.names().toSorted()).toEqual(ONCE);
});

test('a card that a script inserts is not a shadow root: the offers are rendered as without it', async ({ page }) => {
  const json = block();
  await page.goto(shop('', inScript(json), { policy: 'img-src https: data:' }));
  await page.evaluate(
    ([html, tag]) => {
      const place = document.querySelector('#offers');
      if (place) place.innerHTML = html ?? '';
      const script = Object.assign(document.createElement('script'), { src: '/offerlet.js' });
      for (const [, name = '', value = ''] of (tag ?? '').matchAll(/ (data-[\w-]+)="([^"]*)"/g))
        script.setAttribute(name, value);
      document.body.append(script);
    },
    [cardOf(json), scriptTag()],
  );
  await expect(accept(page)).toBeVisible();
  await expect(page.locator('#offers > *')).toHaveCount(1);
  expect(requests()).toBe(0);
});
