// Cards that are streamed out of order, after everything below their place.
import { expect, test, type Page } from '@playwright/test';
import { poll } from '../drivers/poll.ts';
import { paint } from '../drivers/letPass.ts';
import { accept, cardOf, COMMITTED, observe, outcomeOf, POLICY, SHADOW } from './htmlPage.ts';
import { useFixture } from './pageFixture.ts';
import { block, inScript, scriptTag } from './pageShop.ts';

const fixture = useFixture();
test.beforeEach(({ page }) =>
  page.route('https://cdn.example/**', (route) => route.fulfill({ contentType: 'image/svg+xml', body: LOGO })),
);
const LOGO = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"/>';

/** Opens a page whose rest comes in parts, each when the function is called. */
async function open(page: Page, parts: readonly string[], tag = '', policy = POLICY): Promise<() => void> {
  const releases: (() => void)[] = [];
  const late = parts.map((part) => new Promise<string>((resolve) => releases.push(() => resolve(part))));
  const start = `<!doctype html><html lang="en"><head><title>Thank you</title><link rel="icon" href="data:,">${tag}</head><body>
    <h1>Thank you</h1><main><div id="offers"><?marker name="offerlet"></div></main><p>Below</p>`;
  await page.goto(fixture.page('/streamed', [start, ...late], { 'content-security-policy': policy }), COMMITTED);
  await expect(page.getByText('Below')).toBeVisible();
  return () => releases.shift()?.();
}

const loads = (): number => fixture.names().filter((name) => name === 'WIDGET_LOAD').length;

test('without any script, what is below is there first, and the card fills its place as it comes', async ({ page }) => {
  await observe(page);
  const html = cardOf(block(), { streamed: true });
  const cut = html.indexOf('</h2>') + 5;
  const next = await open(page, [html.slice(0, cut), html.slice(cut)], '', POLICY.replace("'self'", "'none'"));
  await expect(page.locator('#offers > *')).toHaveCount(0);
  next();
  await expect(page.getByText('Heading 1')).toBeVisible();
  await expect(accept(page)).toHaveCount(0);
  next();
  await expect(accept(page)).toHaveCSS('text-decoration-line', 'none'); // it is styled
  await poll(() => page.evaluate('seen.violations')).toEqual([]);
});

test('a streamed card moves nothing in the space that is reserved, is taken over, and counts once', async ({
  page,
}) => {
  await observe(page);
  const json = block();
  const next = await open(
    page,
    [cardOf(json, { streamed: true }), inScript(json) + scriptTag()],
    '<style>#offers { min-height: 600px }</style>',
    'img-src https: data:',
  );
  next();
  await expect(accept(page)).toBeVisible();
  await page.evaluate(
    `Object.assign(window, { host: ${SHADOW}.host, button: ${SHADOW}.querySelector('[part=accept]') })`,
  );
  next();
  await poll(() => outcomeOf(page)).toBe('rendered');
  await paint(page);
  expect(await page.evaluate('[host.isConnected, button.isConnected, host.outerHTML, seen.shift]')).toEqual([
    true,
    true,
    '<div></div>',
    0,
  ]);
  await poll(() => fixture.names()).toContain('WIDGET_VIEW');
  expect([loads(), fixture.asked.some(({ path }) => path.endsWith('/recommendations'))]).toEqual([1, false]);
});

for (const [what, tag, code, count] of [
  ['the response of the page', scriptTag(), 'rendered', 1],
  ['a denial', scriptTag({ consent: 'denied' }), 'consent_denied', 0],
] as const)
  test(`a card that comes after ${what} finds no place`, async ({ page }) => {
    const next = await open(page, [cardOf(block(), { streamed: true }), '<p>End</p>'], tag);
    await poll(() => outcomeOf(page)).toBe(code);
    next();
    next();
    await expect(page.getByText('End')).toBeVisible();
    await expect(page.locator('#offers > *')).toHaveCount(count);
  });

test('the steps of an offer are measures that the browser’s own tools show', async ({ page }) => {
  const next = await open(page, [inScript(block()) + scriptTag()], '', 'img-src https: data:');
  next();
  const measures = () =>
    page.evaluate(() =>
      performance
        .getEntriesByType('measure')
        .toSorted((one, other) => one.startTime + one.duration - other.startTime - other.duration)
        .map(({ name }) => name),
    );
  await poll(measures).toEqual(['offerlet:asked', 'offerlet:response', 'offerlet:painted']);
});
