import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { codeBlocks, pageAt, sectionOf } from '../../docs/pages.ts';
import { freePort } from '../../fixtures/serve.ts';
import { openProject, type Project } from './docsFixture.ts';
import { startRegistry } from './localRegistry.ts';

let project: Project;
test.afterEach(() => project.close());

test('five lines lead from an empty folder to an offer, in less than five minutes', async ({ page }) => {
  test.setTimeout(400_000);
  const registry = await startRegistry();
  project = openProject({ isEmpty: true });
  const code = blocksOf('README.md', 'Quick start');
  const html = code('html');
  const js = code('js');
  const [install = '', network = '', ...shop] = code('sh').split('\n');
  expect(code('sh').split('\n')).toHaveLength(5);
  expect(html).toContain('<!-- thank-you.html -->');
  expect(js).toContain('// shop.mjs');
  const startedAt = performance.now();
  const took: Record<string, number> = {};
  const step = (name: string): void => void (took[name] = Math.round(performance.now() - startedAt) / 1000);

  // Only the ports and the key differ from what a reader types; the packages are those that were built here.
  const [networkPort, shopPort] = [await freePort(), await freePort()];
  writeFileSync(join(project.folder, 'thank-you.html'), html);
  writeFileSync(join(project.folder, 'shop.mjs'), js.replace('listen(8080', `listen(${shopPort}`));
  await project.run(install, { env: { npm_config_registry: registry.url, npm_config_replace_registry_host: 'never' } });
  step('installed');
  const env = { OFFERLET_PORT: String(networkPort) };
  const printed = await project.run(network, { until: /integration +adnet_rk_test_\S+/, env });
  step('network');
  const [, key = ''] = /integration +(adnet_rk_test_\S+)/.exec(printed) ?? [];
  const typed = shop.join('\n').replace(':4600', `:${networkPort}`).replace('adnet_rk_test_…', key);
  expect(typed).toContain(key);
  project.run(typed).catch((error: unknown) => console.error(error));

  await expect.poll(() => fetch(`http://127.0.0.1:${shopPort}/`).catch(() => undefined)).toBeTruthy();
  step('shop');
  await page.goto(`http://localhost:${shopPort}/`);
  await expect(page.locator('#offers [part=accept]').first()).toBeVisible();
  step('offer');
  console.log('seconds from an empty folder:', took);
  const examined = await project.run(`npx offerlet doctor http://localhost:${shopPort}/ --browser none`);
  expect(examined).toContain('✓ Relay');
  expect(examined).not.toContain('✗');
  expect(took.offer).toBeLessThan(300);

  // Start with the script tag: "See what the network has received".
  const watch =
    codeBlocks(pageAt('docs/start/script-tag.md')).find(({ code }) => code.includes('/sandbox/events'))?.code ?? '';
  await expect
    .poll(() => project.run(watch.replace(':4600', `:${networkPort}`)))
    .toMatch(/WIDGET_LOAD[\s\S]*BRAND_DISPLAY/);
  registry.close();
});

test('the fault of the network page strikes', async () => {
  project = openProject();
  const port = String(await freePort());
  await project.run('npx offerlet-sandbox network --memory', { env: { OFFERLET_PORT: port }, until: /Press Ctrl-C/ });
  const fault =
    codeBlocks(pageAt('docs/operators/network.md')).find(({ code }) => code.includes('/sandbox/faults'))?.code ?? '';
  await project.run(fault.replace(':4600', `:${port}`));
  // 52: the server returned nothing.
  expect(await project.run(`curl -s http://127.0.0.1:${port}/events/batch -d '{}' || echo $?`)).toBe('52\n');
});

test('the command of the security page prints the integrity value of the script', async () => {
  project = openProject();
  const command = blocksOf('docs/operate/security.md', 'Integrity')('sh');
  const value = createHash('sha384').update(readFileSync('dist/offerlet.js')).digest('base64');
  expect(await project.run(command)).toContain(`sha384-${value}`);
});

/** The code blocks of a section, by language. */
function blocksOf(path: string, heading: string): (language: string) => string {
  const blocks = codeBlocks({ path, text: sectionOf(pageAt(path), heading) });
  return (language) => blocks.find((block) => block.language === language)?.code ?? '';
}
