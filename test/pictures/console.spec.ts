import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test, type Page } from '@playwright/test';
import { startConsole, type StartedConsole } from '../line/console/consoleFixture.ts';
import { onlyWithSameEyes } from './sameEyes.ts';

onlyWithSameEyes();

/** A Friday morning: the history that the network makes is the same for the same time. */
const NOW = '2026-11-20T10:30:00.000Z';
const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

let network: ChildProcess;
let operators: StartedConsole;
let shop: string;
test.beforeAll(async () => {
  network = spawn(process.execPath, [CLI, 'network', '--port', '0', '--memory', '--json', '--now', NOW], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [chunk] = (await once(network.stdout ?? network, 'data')) as [Buffer];
  const started = JSON.parse(chunk.toString().split('\n')[0] ?? '') as {
    url: string;
    keys: { management: string };
    publisher: { publisher_remote_id: string };
  };
  shop = started.publisher.publisher_remote_id;
  operators = await startConsole({ network: started.url, key: started.keys.management, now: NOW });
});
test.afterAll(async () => {
  await operators?.stop();
  network?.kill('SIGTERM');
});

async function open(page: Page, place: string): Promise<void> {
  await page.setViewportSize({ width: 1280, height: 860 });
  await page.emulateMedia({ reducedMotion: 'reduce', colorScheme: 'light' });
  await page.clock.setFixedTime(NOW);
  // The ports are others every time.
  await page.route('**/api/session', async (route) => {
    const session = (await (await route.fetch()).json()) as object;
    const network_url = 'https://channel.example';
    await route.fulfill({ json: { ...session, network: 'channel.example', network_url, environment: 'production' } });
  });
  await page.goto(`${operators.url}/${place}`);
  await expect(page.locator('[aria-busy=true], .starting, .bone')).toHaveCount(0);
}

test('the console’s report', async ({ page }) => {
  await open(page, '?chart=clicks');
  await page.locator('.plot').hover({ position: { x: 640, y: 120 } });
  await expect(page.locator('.tooltip')).toBeVisible();
  await expect(page).toHaveScreenshot('console-report.png');
});

test('a breakdown, and what a row is made of', async ({ page }) => {
  await open(page, '?by=publisher&grain=total&chart=clicks');
  await page.getByRole('button', { name: 'Kettle & Crumb: of which …' }).click();
  await expect(page).toHaveScreenshot('console-breakdown.png');
});

test('exclusions, and what saving would change', async ({ page }) => {
  await open(page, `exclusions?publisher=${shop}`);
  await page.getByLabel('Coffee').check();
  await page.getByLabel('Hotels').check();
  await expect(page.getByLabel('Changes')).toBeVisible();
  await page.evaluate(() => scrollTo(0, 0));
  await expect(page).toHaveScreenshot('console-exclusions.png');
});
