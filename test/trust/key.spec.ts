import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { offersOf } from '../line/page/pageFixture.ts';
import { KEY, thankYou, useTrustShop } from './trustShop.ts';

// What SECURITY.md promises about the secret key. Each title is a promise, word for word.
const shop = useTrustShop();

const ask = (init: RequestInit = {}, path = '/recommendations') =>
  fetch(`${shop.url}/offers${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      user_details: { external_guid: 'x' },
      placement_details: { view: 'THANK_YOU', display_mode: 'INLINE' },
    }),
    ...init,
  });
const bytesOf = async (response: Response) => JSON.stringify([...response.headers]) + (await response.text());

test('The relay never returns the key: a response that repeats it, as it is or escaped for JSON or URLs, is withheld.', async () => {
  const escaped = [...KEY].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
  const whole = JSON.stringify(offersOf(1));
  const reflections = [
    `{"debug":"${KEY}",${whole.slice(1)}`,
    `{"debug":"${escaped}",${whole.slice(1)}`,
    `{"debug":"${escaped}","debug":"",${whole.slice(1)}`,
    `{"${escaped}":1,${whole.slice(1)}`,
  ];
  for (const body of reflections) {
    shop.offers = () => body;
    const text = await bytesOf(await ask());
    expect(text).not.toContain(KEY);
    expect(JSON.stringify(JSON.parse(text.slice(text.indexOf('{')))).includes(KEY)).toBe(false);
    expect(text).not.toContain(escaped);
  }
  shop.offers = () => offersOf(1);
  shop.networkHeaders = { 'x-debug': KEY, 'retry-after': KEY, 'x-request-id': KEY, 'set-cookie': `a=${KEY}` };
  expect(await bytesOf(await ask())).not.toContain(KEY);
});

test('The relay never logs the key, an email or a request body.', async () => {
  shop.offers = () => ({ message: KEY });
  await ask();
  await ask({ body: JSON.stringify({ user_details: { email: 'canary@example.com' } }) });
  await ask({ body: `{"user_details":{"email":"canary@example.com","debug":"${KEY}"` });
  expect(shop.logs.length).toBeGreaterThan(0);
  expect(shop.logs.join('\n')).not.toMatch(new RegExp(`${KEY}|canary@example`));
});

test('Nothing that a request carries changes where the relay sends it or with which key.', async () => {
  const headers = {
    'content-type': 'application/json',
    'x-api-key': 'adnet_rk_test_other',
    'x-forwarded-host': 'evil.example',
    forwarded: 'host=evil.example',
    version: '9.9.9',
    cookie: 'session=canary',
    authorization: 'Bearer canary',
  };
  await ask({ headers });
  const [call] = shop.calls;
  expect(call?.path).toBe('/recommendations');
  expect(call?.headers).toMatchObject({ 'x-api-key': KEY, version: '1.0.0' });
  expect(JSON.stringify(call?.headers)).not.toMatch(/session=canary|Bearer|evil|adnet_rk_test_other/);
  for (const path of ['/..%2fadmin', '/../admin', '//evil.example/recommendations', '/recommendations/../../keys'])
    expect((await ask({}, path)).status, path).toBe(404);
  expect(shop.calls.map(({ path }) => path)).toEqual(['/recommendations']);
});

test('A secret key in a page ends in invalid_config before any request, and is not repeated in any message.', async ({
  page,
}) => {
  const lines: string[] = [];
  page.on('console', (message) => lines.push(message.text()));
  const secret = 'adnet_sk_live_canary';
  for (const attributes of [
    { 'widget-id': secret },
    { 'widget-id': 'adnet_rk_test_canary' },
    { 'widget-id': 'adnet_rp_canary' },
    { 'api-key': 'canary' },
    { relay: `/offers?key=${secret}` },
  ]) {
    await page.goto(shop.page('/', thankYou(attributes)));
    await page.waitForFunction('window.offerlet?.explain?.()[0]?.outcome');
    const explanation = JSON.stringify(await page.evaluate('window.offerlet.explain()'));
    expect(explanation).toContain('invalid_config');
    expect(explanation + lines.join()).not.toContain('canary');
  }
  expect(shop.posts).toEqual([]);
});

test('The entries that take a secret key throw when a browser loads them.', async ({ page }) => {
  await page.goto(shop.page('/', '<!doctype html><title>Empty</title>'));
  for (const [entry, call] of [
    ['relay', `createRelay({ apiKey: 'adnet_rk_test_x', version: '1.0.0', networkUrl: 'https://n.example' })`],
    [
      'client',
      `new RecommendationsClient({ apiKey: 'adnet_rk_test_x', version: '1.0.0', networkUrl: 'https://n.example' })`,
    ],
  ]) {
    const result = await page.evaluate(
      `import('/${entry}.js').then((entry) => { with_entry(entry); function with_entry({ createRelay, RecommendationsClient }) { ${call}; } return 'ran'; }).catch((error) => String(error))`,
    );
    expect(result, entry).toMatch(/server|browser/i);
  }
});

test('No file of the package contains a key of any kind.', () => {
  const dist = `${import.meta.dirname}/../../dist`;
  const files = readdirSync(dist, { recursive: true, withFileTypes: true }).filter(
    (file) => file.isFile() && /\.(js|ts|map|css|json)$/.test(file.name),
  );
  expect(files.length).toBeGreaterThan(50);
  for (const file of files) {
    const text = readFileSync(join(file.parentPath, file.name), 'utf8');
    // A prefix alone, as in an error message, is not a key.
    expect(text.match(/adnet_(sk|rk|rp)_(live|test)_[A-Za-z0-9]{12,}/g), file.name).toBeNull();
  }
});
