import { expect, test, type Page } from '@playwright/test';
import { useShop } from '../drivers/sandbox.ts';
import { poll } from '../drivers/poll.ts';

const sandbox = useShop();
test.describe.configure({ mode: 'default' }); // one sandbox serves them all

test('an accepted offer reaches both reports, and the key never reaches the page', async ({ page, context }) => {
  const bytes = collectBytes(page);
  await page.goto(sandbox.shop);
  const accept = page.locator('[part~=accept]').first();
  await expect(accept).toBeVisible();

  const opened = context.waitForEvent('page');
  await accept.click();
  await (await opened).waitForLoadState(); // the advertiser's page

  const today = () => new Date().toISOString().slice(0, 10);
  const from = today(); // which may be yesterday by the time that a report is read
  const read = async (path: string, key: string, loads: string) => {
    const metrics = [loads, 'widget_displays', 'impressions', 'clicks'];
    const query = `from=${from}&to=${today()}&group_by=widget_id&metrics=${metrics.join()}&limit=250`;
    const response = await fetch(`${sandbox.network}${path}?${query}`, { headers: { 'x-api-key': key } });
    const report = (await response.json()) as { data: Record<string, unknown>[] };
    const row = report.data.find(({ widget_id }) => widget_id === 'demo-shop');
    return row && metrics.map((metric) => row[metric]);
  };
  const { management, publisher_reporting } = sandbox.keys;
  const both = () =>
    Promise.all([
      read('/adnet/reporting/v2/report/', management, 'feed_loads'),
      read('/api/analysis/publisher-reporting/v2/report/', publisher_reporting, 'widget_loads'),
    ]);
  const once = [1, 1, 1, 1];
  await poll(both).toEqual([once, once]);

  page.removeAllListeners('response'); // what comes later may outlive the page
  const everything = (await Promise.all(bytes)).join('\n');
  expect(everything).toContain('Marlow'); // the collection is not empty
  for (const key of [sandbox.keys.management, sandbox.keys.integration, sandbox.keys.publisher_reporting]) {
    expect(everything.includes(key)).toBe(false);
  }
});

/** Every byte that reached the page: URLs, headers, bodies. */
function collectBytes(page: Page): Promise<string>[] {
  const bytes: Promise<string>[] = [];
  page.on('response', (response) => {
    bytes.push(
      Promise.all([response.allHeaders(), response.text().catch(() => '')]).then(
        ([headers, body]) => `${response.url()} ${JSON.stringify(headers)} ${body}`,
      ),
      response
        .request()
        .allHeaders()
        .then((headers) => JSON.stringify(headers)),
    );
  });
  return bytes;
}
