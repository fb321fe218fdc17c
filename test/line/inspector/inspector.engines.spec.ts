// The inspector in every engine: over each mode it can be clicked and typed into, and Esc collapses it alone.
import { expect, test } from '../drivers/driver.ts';
import { useInspected } from './inspectorFixture.ts';
import { scriptTag, shop } from '../page/pageShop.ts';

const fixture = useInspected();

/** Where the inspector's element is: in the dialog while one is open. */
const HOSTS = {
  INLINE: 'offerlet-inspector',
  PULLUP: 'offerlet-inspector',
  OVERLAY: 'offer-let-layer >>> offerlet-inspector',
  FULLSCREEN: 'offer-let-layer >>> offerlet-inspector',
} as const;

/** Reads the selected tab, the text of its panel, and whether there are offers on the page. */
function look(path: string): { tab: string | undefined; text: string; isOpen: boolean; hasOffers: boolean } {
  const host = path
    .split(' >>> ')
    .reduce<Element | null>((at, selector) => (at?.shadowRoot ?? document).querySelector(selector), null);
  const root = host?.shadowRoot;
  const place = document.querySelector('offer-let-layer') ?? document.querySelector('#offers > div');
  return {
    tab: root?.querySelector('[aria-selected=true]')?.textContent ?? undefined,
    text: root?.querySelector('[role=tabpanel]')?.textContent ?? '',
    isOpen: !!root?.querySelector('.shell'),
    hasOffers: !!place?.shadowRoot?.querySelector('article'),
  };
}

for (const mode of ['INLINE', 'PULLUP', 'OVERLAY', 'FULLSCREEN'] as const) {
  test(`over ${mode} it can be used and collapsed, and the offers stay`, async ({ driver }) => {
    const host = HOSTS[mode];
    await driver.goto(`${fixture.page('/engines', shop(scriptTag({ 'display-mode': mode })))}?offerlet=inspect`);
    await expect.poll(() => driver.eval(look, host)).toMatchObject({ tab: 'Outcome', hasOffers: true });
    await expect.poll(async () => (await driver.eval(look, host)).text).toMatch(/offers? (is|are) on the page/);
    await driver.click(`${host} >>> #tab-Queue`);
    await expect.poll(async () => (await driver.eval(look, host)).text).toContain('Stored in IndexedDB');
    await expect.poll(fixture.names).toContain('BRAND_VIEW');
    await driver.click(`${host} >>> #tab-Events`);
    await expect.poll(async () => (await driver.eval(look, host)).text).toContain('BRAND_VIEW');
    await driver.key('Escape');
    await expect.poll(() => driver.eval(look, host)).toMatchObject({ isOpen: false, hasOffers: true });
  });
}
