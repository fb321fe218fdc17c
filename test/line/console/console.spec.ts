import { readFile } from 'node:fs/promises';
import { expect, test, type Page } from '@playwright/test';
import { useShop } from '../drivers/sandbox.ts';
import { control, runCommand, startConsole, useConsole } from './consoleFixture.ts';

const sandbox = useShop();
const own = useConsole(sandbox);
test.use({ viewport: { width: 1280, height: 900 } });

/** Opens a place of the console, and collects what its page complains about. */
async function open(page: Page, place = ''): Promise<string[]> {
  const complaints: string[] = [];
  page.on('console', (message) => {
    // The browser itself writes a line for each response that is not a success; those are provoked here.
    if (!message.text().startsWith('Failed to load resource')) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(`${own.url}/${place}`);
  return complaints;
}

const tile = (page: Page, name: string) => page.getByRole('group', { name: /^Totals/ }).getByRole('button', { name });
const rows = (page: Page) => page.locator('.report tbody tr:not(.spacer)');

test('a click in the shop is sent at once, and the console’s next look, in less than a second, shows it', async ({
  page,
  context,
}) => {
  const session = page.waitForResponse(/\/console\/api\/session$/);
  await page.goto(`${sandbox.shop}/console/?period=today&metrics=clicks&compare=none`);
  // The clock of a busy machine would measure the machine: what waits is counted instead.
  expect(((await (await session).json()) as { refresh_ms: number }).refresh_ms).toBeLessThan(1_000);
  await expect(tile(page, 'Clicks')).toContainText(/\d/);
  const clicks = async () => Number((await tile(page, 'Clicks').locator('.number').textContent())?.replace(',', ''));
  const before = await clicks();
  const shop = await context.newPage();
  await shop.goto(`${sandbox.shop}/?desk=none`); // without a second console
  const opened = context.waitForEvent('page');
  const accepted = new Promise<void>((resolve) => {
    context.on('response', (response) => {
      if (response.request().postData()?.includes('BRAND_CLICK') && response.ok()) resolve();
    });
  });
  await shop.locator('[part~=accept]').first().click();
  await (await opened).close();
  await accepted;
  // One may have begun before the click was accepted; coming to the front looks as well. Later ones get no response.
  let looks = 0;
  await page.route(/\/api\/report\?.*limit=1/, (route) => (++looks > 3 ? undefined : route.continue()));
  await page.bringToFront();
  await expect.poll(clicks).toBe(before + 1);
});

test('the report, its chart and its table are there, without complaints', async ({ page }) => {
  const complaints = await open(page);
  await expect(tile(page, 'Payout')).toContainText(/\d/);
  await expect(page.locator('.time-chart svg .line').first()).toBeVisible();
  await expect(rows(page).first()).toBeVisible();
  expect(complaints).toEqual([]);
});

test('every choice is in the URL, and survives reload and back', async ({ page }) => {
  await open(page);
  await page.getByLabel('Week', { exact: true }).check();
  await page.getByLabel('Compare with').selectOption('none');
  await page.getByRole('button', { name: /^Breakdown/ }).click();
  await page.getByRole('checkbox', { name: /^Page type/ }).check();
  await page.keyboard.press('Escape');
  await tile(page, 'Clicks').click();
  await page.locator('.report thead').getByRole('button', { name: 'Clicks' }).click();
  await expect(page).toHaveURL(/\?grain=week&by=page_type&compare=none&sort=-clicks&chart=clicks$/);
  await expect(page.locator('.content')).toHaveAttribute('aria-busy', 'false');
  await expect(page.locator('.report [aria-sort=descending]')).toHaveText(/Clicks/);
  const first = await rows(page).first().textContent();
  await page.reload();
  await expect(rows(page).first()).toHaveText(first ?? '');
  await page.goBack();
  await expect(page).toHaveURL(/chart=clicks$/);
  await page.goBack();
  await expect(page).not.toHaveURL(/chart=/);
  await expect(tile(page, 'Payout')).toHaveAttribute('aria-pressed', 'true');
});

test('a second click on a column turns its direction before the first has been answered', async ({ page }) => {
  await open(page);
  await page.route(/report\?/, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await route.continue();
  });
  const column = page.locator('.report thead').getByRole('button', { name: 'Clicks' });
  await column.click();
  await expect(page).toHaveURL(/sort=-clicks/);
  await column.click();
  await expect(page).toHaveURL(/sort=clicks/);
  await expect(page.locator('.report [aria-sort=ascending]')).toHaveText(/Clicks/);
});

for (const query of [
  '?period=last_30_days&by=publisher,page_type&grain=total&compare=none&sort=-clicks',
  '?period=last_7_days&by=widget_id&metrics=clicks,ctr&compare=previous&sort=widget_id',
])
  test(`CSV is what the command prints, byte for byte, and has the rows on screen: ${query}`, async ({ page }) => {
    await open(page, query);
    await expect(rows(page).first()).toBeVisible();
    const command = (await page.getByLabel('Command', { exact: true }).textContent()) ?? '';
    expect(command).toMatch(/^offerlet-operator report /);
    const words = command.split(' ').slice(1);
    // Again: the hour may turn, or a shopper's event may arrive, between the two.
    await expect(async () => {
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: 'CSV' }).click();
      const csv = await readFile(await (await download).path(), 'utf8');
      expect(csv).toBe(await runCommand([...words, '--csv'], sandbox.keys.management));
      expect(csv.split('\r\n')).toHaveLength(Number(await page.locator('.report').getAttribute('aria-rowcount')));
    }).toPass();
  });

test('a row opens the report that it is made of', async ({ page }) => {
  await open(page, '?by=publisher&grain=total&compare=none');
  const name = (await rows(page).first().locator('.text').textContent()) ?? '';
  const payout = await rows(page).first().locator('td').first().textContent();
  await page.getByRole('button', { name: `${name}: of which …` }).focus();
  await page.keyboard.press('ArrowDown'); // all rows are one stop of Tab
  await expect(rows(page).nth(1).getByRole('button')).toBeFocused();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await expect(page.locator('.report thead').getByRole('button', { name: 'Payout' })).toBeFocused();
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'by page type' }).click();
  await expect(page.locator('.chip')).toContainText(name);
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  await expect(tile(page, 'Payout').locator('.number')).toHaveText(payout ?? '');
});

test('the table is one stop of Tab: from what is before it, the third is Copy', async ({ page }) => {
  await open(page, '?by=publisher&grain=total');
  await expect(rows(page).first()).toBeVisible();
  await page.getByRole('button', { name: 'CSV' }).focus();
  for (const _ of ['table', 'command', 'copy']) await page.keyboard.press('Tab');
  await expect(page.getByRole('button', { name: 'Copy the command' })).toBeFocused();
});

test('amounts have the currency of the option, in tiles, chart, table and command', async ({ page }) => {
  const words = ['--currency', 'EUR'];
  const euros = await startConsole({ network: sandbox.network, key: sandbox.keys.management, words });
  await page.goto(euros.url);
  for (const part of ['.tiles', '.chart-card h2', '.time-chart caption', '.report thead'])
    await expect(page.locator(part)).toContainText('Payout (EUR)');
  await expect(page.getByLabel('Command', { exact: true })).toContainText('--currency EUR');
  await euros.stop();
});

test('the chart says exact values with date and time zone, by pointer and by keyboard', async ({ page }) => {
  await open(page, '?chart=clicks');
  const plot = page.getByRole('slider');
  await plot.hover();
  await expect(page.locator('.tooltip')).toContainText(/\w+, \d+ \w+ 20\d\d UTC/);
  await plot.focus();
  await page.keyboard.press('End');
  await expect(plot).toHaveAttribute('aria-valuetext', /UTC, not over yet: Clicks [\d,]+: compared [\d,]+/);
  await page.keyboard.press('Home');
  const first = await plot.getAttribute('aria-valuetext');
  const table = page.locator('.time-chart table tbody tr').first();
  expect(first).toContain(`Clicks ${await table.locator('td').first().textContent()}`);
});

test('days without activity are zero, and days after the data are not drawn', async ({ page }) => {
  await control(
    sandbox.network,
    'settings',
    { data_through: new Date(Date.now() - 3 * 86_400_000).toISOString().slice(0, 14).concat('00:00Z') },
    'PUT',
  );
  await open(page, '?period=last_7_days&chart=clicks&compare=none');
  await expect(page.locator('.time-chart table tbody tr')).toHaveCount(7);
  await expect(page.locator('.time-chart table td').last()).toHaveText('no data yet');
  await control(sandbox.network, 'settings', { data_through: null }, 'PUT');
});

test('publishers: sort, search as you type, detail, exclusions and their undo', async ({ page }) => {
  await open(page, 'publishers');
  await page.getByRole('columnheader').getByRole('button', { name: 'Clicks' }).click();
  await expect(page.getByRole('columnheader', { name: 'Clicks' })).toHaveAttribute('aria-sort', 'descending');
  await expect(page).toHaveURL(/publishers\?sort=-clicks$/);
  await page.getByLabel('Search publishers by name').fill('juniper');
  await expect(page.locator('.publishers tbody tr')).toHaveCount(1);
  await expect(page).toHaveURL(/publishers\?q=juniper&sort=-clicks$/);
  await page.getByRole('link', { name: 'Juniper & Co' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Juniper & Co');
  await expect(page.getByRole('group', { name: /^Totals/ })).toContainText(/\d/);
  await expect(page.getByRole('region', { name: 'Payout' }).locator('header')).toContainText(
    /the 28 days before(, the last one until \d\d:00 UTC)?$/,
  );
  await page.getByRole('link', { name: 'Change', exact: true }).click();
  await page.getByLabel('Search categories').fill('coffee');
  await page.getByLabel('Coffee').check();
  await expect(page.getByLabel('Changes')).toContainText('1 more excluded: Coffee');
  await page.getByRole('button', { name: 'Save' }).click();
  const id = new URL(page.url()).searchParams.get('publisher') ?? '';
  const isSaved = async (): Promise<boolean> => {
    const words = ['exclusions', 'show', '--publisher', id, '--network', sandbox.network, '--csv'];
    return (await runCommand(words, sandbox.keys.management)).includes('Coffee');
  };
  await expect(page.getByRole('status').filter({ hasText: 'Saved.' })).toBeFocused();
  expect(await isSaved()).toBe(true);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByLabel('Coffee')).not.toBeChecked();
  await expect.poll(isSaved).toBe(false);
});

test('Next keeps the focus on the last page, and Back returns to where the list was left', async ({ page }) => {
  await page.route(/api\/publishers\?/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), count: 60 } });
  });
  await page.setViewportSize({ width: 1280, height: 300 });
  await open(page, 'publishers?sort=name');
  const next = page.getByRole('button', { name: 'Next' });
  await next.click();
  await expect(next).toBeDisabled();
  await expect(next).toBeFocused();
  await page.goBack();
  await expect(page.getByText('page 1 of 2')).toBeVisible();
  const link = page.locator('.publishers th[scope=row] a').last();
  await link.click();
  await expect(page.getByRole('heading', { level: 1 })).not.toHaveText('Publishers');
  await page.goBack();
  await expect(link).toBeInViewport();
});

test('what is typed as Back is pressed changes no other page', async ({ page }) => {
  await page.clock.install();
  await open(page, 'publishers');
  await page.getByRole('radio', { name: 'Pending' }).check();
  await page.getByLabel('Search publishers by name').evaluate((field: HTMLInputElement) => {
    field.value = 'juniper';
    field.dispatchEvent(new Event('input', { bubbles: true }));
    history.back();
  });
  await expect(page.getByRole('radio', { name: 'All' })).toBeChecked();
  await page.clock.runFor(1_000);
  await expect(page).toHaveURL(/publishers$/);
  await expect(page.getByLabel('Search publishers by name')).toHaveValue('');
});

test('unsaved exclusions are not lost by a click elsewhere', async ({ page }) => {
  await open(page, 'exclusions');
  await page.getByLabel('Hotels').check();
  await page.getByRole('button', { name: 'Discard' }).click();
  await expect(page.getByRole('group', { name: 'Categories' })).toBeFocused();
  await page.getByLabel('Hotels').check();
  page.once('dialog', (dialog) => void dialog.dismiss());
  await page.getByRole('link', { name: 'Report' }).click();
  await expect(page.getByLabel('Hotels')).toBeChecked();
  page.once('dialog', (dialog) => void dialog.accept());
  await page.getByRole('link', { name: 'Report' }).click();
  await expect(page).toHaveURL(/\/$/);
});

test('the Back button asks before it loses unsaved exclusions', async ({ page }) => {
  const asked: string[] = [];
  const answer = (accept: boolean): void =>
    void page.once('dialog', (dialog) => {
      asked.push(dialog.message());
      void (accept ? dialog.accept() : dialog.dismiss());
    });
  await open(page, 'publishers');
  await page.getByRole('link', { name: 'Exclusions' }).click();
  await page.getByLabel('Hotels').check();
  answer(false);
  await page.goBack();
  await expect(page).toHaveURL(/\/exclusions$/);
  await expect(page.getByLabel('Hotels')).toBeChecked();
  // A link within the page leaves nothing.
  await page.getByRole('link', { name: 'Skip to content' }).press('Enter');
  await page.goBack();
  await expect(page.getByLabel('Hotels')).toBeChecked();
  expect(asked).toEqual(['Leave without saving the exclusions?']);
  answer(true);
  await page.goBack();
  await expect(page).toHaveURL(/\/publishers$/);
  await page.goForward();
  await expect(page.getByLabel('Hotels')).not.toBeChecked();
});

test('closing the page asks before it loses unsaved exclusions', async ({ page }) => {
  await open(page, 'exclusions');
  const isAskedAtOnce = await page.getByLabel('Hotels').evaluate(async (box: HTMLInputElement) => {
    box.click();
    await Promise.resolve(); // renders
    return !dispatchEvent(new Event('beforeunload', { cancelable: true }));
  });
  expect(isAskedAtOnce).toBe(true);
  // A browser asks only after a gesture on the page.
  await page.getByLabel('Coffee').check();
  const asked = page.waitForEvent('dialog');
  await page.close({ runBeforeUnload: true });
  const dialog = await asked;
  expect(dialog.type()).toBe('beforeunload');
  await dialog.accept();
});

test('exclusions of any publisher are found by its name', async ({ page }) => {
  await open(page, 'exclusions');
  await page.getByRole('button', { name: 'Exclusions for: The whole channel' }).click();
  await expect(page.getByRole('link', { name: 'The whole channel' })).toHaveAttribute('aria-current', 'true');
  await expect(page.getByLabel('Find a publisher')).toBeFocused();
  await page.route(/find-publishers\?q=twin/, (route) =>
    route.fulfill({ json: { publishers: ['1a2b', '3c4d'].map((id) => ({ id, name: 'Twin' })), hasMore: false } }),
  );
  await page.keyboard.type('twin');
  await expect(page.getByRole('dialog').getByRole('link')).toHaveText(['Twin (…1a2b)', 'Twin (…3c4d)']);
  await page.getByLabel('Find a publisher').fill('halc');
  await expect(page.getByRole('dialog').getByRole('link')).toHaveText(['Halcyon Optics']);
  await page.getByRole('link', { name: 'Halcyon Optics' }).click();
  await expect(page.getByText('are not shown by Halcyon Optics')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Exclusions for: Halcyon Optics' })).toBeFocused();
});

test('a change that somebody else made meanwhile is not overwritten', async ({ page }) => {
  await open(page, 'exclusions');
  await page.getByLabel('Hotels').check();
  await runCommand(['exclusions', 'set', 'Wine', '--network', sandbox.network], sandbox.keys.management);
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('alert')).toContainText('Nothing was saved');
  await expect(page.getByRole('button', { name: 'Save' })).toBeFocused();
  await page.getByRole('button', { name: 'Show the new list' }).click();
  await expect(page.getByRole('group', { name: 'Categories' })).toBeFocused();
  await expect(page.getByLabel('Wine')).toBeChecked();
  await expect(page.getByLabel('Hotels')).not.toBeChecked();
});

test('a box that is ticked while the list is saved stays ticked', async ({ page }) => {
  await open(page, 'exclusions');
  await page.route('**/api/exclusions', async (route) => {
    if (route.request().method() === 'PUT') await page.getByLabel('Hotels').check();
    await route.continue();
  });
  await page.getByLabel('Camping').check();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByLabel('Changes')).toContainText('1 more excluded: Hotels');
  await expect(page.getByLabel('Hotels')).toBeChecked();
});

test('what is typed as the page appears is kept, and so is a status that is chosen at once', async ({ page }) => {
  await open(page, 'exclusions');
  await expect(page.getByLabel('Hotels')).toBeVisible();
  // The search waits for a pause, which is over before the browser paints again.
  await page.getByRole('link', { name: 'Publishers' }).evaluate(async (link: HTMLElement) => {
    link.click();
    await Promise.resolve(); // renders
    const field = document.querySelector<HTMLInputElement>('.find [type=search]');
    if (field) field.value = 'juniper';
    field?.dispatchEvent(new Event('input', { bubbles: true }));
    await Promise.resolve();
    document.querySelector<HTMLInputElement>('.find [type=radio]:not(:checked)')?.click();
    await Promise.resolve();
    for (const end = performance.now() + 300; performance.now() < end;);
  });
  await expect(page.getByText('No publisher matches.')).toBeVisible();
  await expect(page).toHaveURL(/publishers\?q=juniper&status=PENDING$/);
});

test('publishers are added from CSV with a preview, and removed with their name typed', async ({ page }) => {
  await open(page, 'publishers/add');
  await page.getByLabel('Many from CSV').check();
  await page
    .getByRole('textbox')
    .fill(
      'brand_name,domain,primary_category,subcategories\nAlpha,alpha.example,Pets,Pet Food\n"<img src=x onerror=alert(1)>",evil,Pets,Pet Food\nJuniper & Co,juniper-and-co.example,Pets,Pet Food',
    );
  await expect(page.getByText('2 publishers will be requested')).toBeVisible();
  await expect(page.getByText('is not a domain')).toBeVisible();
  await page.getByRole('button', { name: 'Request 2' }).click();
  await expect(page.getByRole('row', { name: /Alpha/ })).toContainText('added, pending');
  await expect(page.getByRole('row', { name: /Juniper/ })).toContainText('duplicate: A create request');
  await expect(page.getByRole('button', { name: 'Request 0' })).toBeFocused();

  await page.goto(`${own.url}/publishers?q=Halcyon`);
  await page.getByRole('link', { name: 'Halcyon Optics' }).click();
  await page.getByRole('button', { name: 'Remove …' }).click();
  const remove = page.getByRole('button', { name: 'Remove', exact: true });
  await page.getByLabel('Type Halcyon Optics to confirm').fill('Halcyon');
  await expect(remove).toBeDisabled();
  await page.getByLabel('Type Halcyon Optics to confirm').fill('Halcyon Optics');
  await remove.click();
  await page.getByLabel('Search publishers by name').fill('halcyon');
  await expect(page.getByText('No publisher matches.')).toBeVisible();
});
