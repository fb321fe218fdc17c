// What every mode must do in every engine: be what it is, take the focus or leave it, close, and open what was accepted.
import { expect, test } from '../drivers/driver.ts';
import { offersOf, useFixture } from '../page/pageFixture.ts';
import { scriptTag, shop } from '../page/pageShop.ts';
import { inRealTime } from '../drivers/letPass.ts';

declare global {
  interface Window {
    errors: string[];
  }
}

const WATCH = `<script>window.errors = [];
  addEventListener('error', ({ message }) => errors.push(message));
  addEventListener('unhandledrejection', ({ reason }) => errors.push(String(reason)));</script>`;
/** The advertiser's page: it says that it was opened, and by whom. */
const BRAND = `<!doctype html><title>Brand</title><script>void fetch('/opened', { method: 'POST',
  body: JSON.stringify({ referrer: document.referrer, opener: String(window.opener) }) });</script>`;

const HOST = {
  OVERLAY: 'offer-let-layer',
  FULLSCREEN: 'offer-let-layer',
  PULLUP: 'offer-let-layer',
  INLINE: '#offers > div',
};
const MODES = ['OVERLAY', 'FULLSCREEN', 'PULLUP', 'INLINE'] as const;

const fixture = useFixture();
test.beforeEach(() => {
  const answer = offersOf(2, { sandbox: true }) as {
    recommendations: Record<string, { offer: { target_url: string } }>;
  };
  for (const { offer } of Object.values(answer.recommendations)) offer.target_url = fixture.page('/brand', BRAND);
  fixture.reply = () => answer;
});

function order(mode: string): string {
  const before = '<button id="before" autofocus>Track it</button>';
  return fixture.page('/order', shop(before + scriptTag({ 'display-mode': mode }), WATCH));
}

/** What is on the page, for assistive technology and for the shopper. */
function look(host: string) {
  const shadow = document.querySelector(host)?.shadowRoot;
  const root = shadow?.querySelector<HTMLElement>('.root');
  const labels = root?.getAttribute('aria-labelledby')?.split(' ') ?? [];
  const { activeElement } = document;
  return {
    tag: root?.localName,
    name: root?.getAttribute('aria-label') ?? labels.map((id) => shadow?.getElementById(id)?.textContent).join(' '),
    isOnTop: root?.matches(':modal') || root?.matches(':popover-open'),
    isVisible: (root?.querySelector('[part~=accept]')?.getBoundingClientRect().height ?? 0) >= 48,
    focus: (activeElement?.shadowRoot?.activeElement ?? activeElement)?.textContent,
    errors: window.errors,
  };
}

for (const mode of MODES) {
  const isModal = mode === 'OVERLAY' || mode === 'FULLSCREEN';

  test(`${mode} opens with its role, its name and the right focus, and Esc closes it`, async ({ driver }) => {
    await driver.goto(order(mode));
    await expect
      .poll(() => driver.eval(look, HOST[mode]))
      .toEqual({
        tag: isModal ? 'dialog' : 'section',
        name: isModal ? 'Sponsored Heading 1' : 'Sponsored offers',
        isOnTop: mode !== 'INLINE',
        isVisible: true,
        focus: isModal ? 'Heading 1' : 'Track it',
        errors: [],
      });
    if (mode === 'INLINE') return;
    if (mode === 'PULLUP') {
      await driver.eval(() => {
        const shadow = document.querySelector('offer-let-layer')?.shadowRoot;
        shadow?.querySelector<HTMLElement>('[part~=close]')?.focus();
      });
    }
    await driver.key('Escape');
    await expect.poll(() => driver.eval(() => document.querySelectorAll('offer-let-layer').length)).toBe(0);
    await expect.poll(() => driver.eval(() => document.activeElement?.id)).toBe('before');
    expect(await driver.eval(() => window.errors)).toEqual([]);
  });

  test(`${mode}: accept opens the advertiser in a separate window and shows what was claimed`, async ({ driver }) => {
    await driver.goto(order(mode));
    await expect.poll(() => driver.eval(look, HOST[mode])).toMatchObject({ isVisible: true });
    await inRealTime(500); // a layer ignores clicks for 400 ms
    await driver.click(`${HOST[mode]} >>> article [part~=accept]`);
    await expect
      .poll(() => fixture.asked.find(({ path }) => path === '/opened')?.body)
      .toEqual({
        referrer: `${fixture.url}/`,
        opener: 'null',
      });
    await expect.poll(fixture.names).toContain('BRAND_CLICK');
  });
}
