// Cards in the page's HTML that something else than the server has made, or changed.
import { expect, test } from '@playwright/test';
import { poll } from '../drivers/poll.ts';
import { accept, cardOf, COMMITTED, hold, outcomeOf, SHADOW, shopWith } from './htmlPage.ts';
import { useFixture } from './pageFixture.ts';
import { block, inScript, scriptTag } from './pageShop.ts';

const fixture = useFixture();

for (const [what, forge] of [
  [
    'with attributes of its own',
    "root.querySelector('[part=accept]').ping = root.querySelector('.badge').style.opacity = '0'",
  ],
  ['with something beside it', "root.append(Object.assign(document.createElement('a'), { textContent: 'Trust me' }))"],
  ['with a text in place of its style sheet', "root.firstElementChild.replaceWith('Trust me')"],
  [
    'behind a forged one',
    `const forged = root.host.cloneNode();
    forged.style.display = 'none';
    forged.attachShadow({ mode: 'open' }).append('Trust me');
    root.host.before(forged)`,
  ],
  [
    'that is a form, which shadows the methods of its host',
    `const form = document.createElement('form');
    form.setAttribute('data-offerlet-card', '');
    for (const name of ['getAttribute', 'remove']) form.append(Object.assign(document.createElement('input'), { name }));
    root.host.replaceWith(form)`,
  ],
] as const)
  test(`a card ${what} is not trusted: the offers are as they would be without it`, async ({ page }) => {
    const release = await hold(page);
    const json = block();
    await page.goto(shopWith(fixture, cardOf(json), inScript(json) + scriptTag()), COMMITTED);
    await expect(page.locator('[part~=decline]')).toBeVisible();
    await page.evaluate(`(() => { const root = ${SHADOW}; ${forge}; })()`);
    release();
    await poll(() => outcomeOf(page)).toBe('rendered');
    await expect(accept(page)).toBeVisible();
    await expect(page.getByText('Trust me')).toHaveCount(0);
    const left = `[${SHADOW}.querySelectorAll('[ping],[style]').length, document.querySelectorAll('form').length]`;
    expect(await page.evaluate(left)).toEqual([0, 0]);
  });
