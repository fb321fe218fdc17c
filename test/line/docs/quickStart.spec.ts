import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { codeBlocks, pageAt, sectionOf } from '../../docs/pages.ts';
import { freePort, openProject, type Project } from './docsFixture.ts';

let project: Project;
test.beforeEach(() => void (project = openProject()));
test.afterEach(() => project.close());

test('the quick start of the README shows an offer', async ({ page }) => {
  const code = blocksOf('README.md', 'Quick start');
  const html = code('html');
  const js = code('js');
  const [install, network = '', ...shop] = code('sh').split('\n');
  expect(install).toBe('npm install offerlet offerlet-sandbox');
  expect(html).toContain('<!-- thank-you.html -->');
  expect(js).toContain('// shop.mjs');

  // Only the ports and the key differ from what a reader types.
  const [networkPort, shopPort] = [await freePort(), await freePort()];
  writeFileSync(join(project.folder, 'thank-you.html'), html);
  writeFileSync(join(project.folder, 'shop.mjs'), js.replace('listen(8080)', `listen(${shopPort})`));
  const env = { OFFERLET_PORT: String(networkPort) };
  const printed = await project.run(network, { until: /integration +adnet_rk_test_\S+/, env });
  const [, key = ''] = /integration +(adnet_rk_test_\S+)/.exec(printed) ?? [];
  const typed = shop.join('\n').replace(':4600', `:${networkPort}`).replace('adnet_rk_test_…', key);
  expect(typed).toContain(key);
  project.run(typed).catch((error: unknown) => console.error(error));

  await expect.poll(() => fetch(`http://127.0.0.1:${shopPort}/`).catch(() => undefined)).toBeTruthy();
  await page.goto(`http://localhost:${shopPort}/`);
  await expect(page.locator('#offers [part=accept]').first()).toBeVisible();

  // Getting started: "The sandbox network shows every event that arrived".
  const watch = blocksOf('docs/getting-started.md', 'Watch what is reported')('sh');
  await expect
    .poll(() => project.run(watch.replace(':4600', `:${networkPort}`)))
    .toMatch(/WIDGET_LOAD[\s\S]*BRAND_DISPLAY/);
});

test('the session by hand of the network page ends in its report, and its fault strikes', async () => {
  const session = blocksOf('docs/network.md', 'A session by hand')('sh');
  const port = String(await freePort());
  const output = await project.run(session, { env: { OFFERLET_PORT: port }, until: /"data_through"/ });
  expect(output).toContain('{"results":[{"index":0,"success":true}],"accepted":1,"failed":0}');
  expect(output).toMatch(/"feed_loads":[1-9]/);

  const fault = codeBlocks(pageAt('docs/network.md')).find(({ code }) => code.includes('/sandbox/faults'))?.code ?? '';
  await project.run(fault.replace(':4600', `:${port}`));
  // 52: the server returned nothing.
  expect(await project.run(`curl -s http://127.0.0.1:${port}/events/batch -d '{}' || echo $?`)).toBe('52\n');
});

test('the command of the security page prints the integrity value of the script', async () => {
  const command = blocksOf('docs/security.md', 'Integrity')('sh');
  const value = createHash('sha384').update(readFileSync('dist/offerlet.js')).digest('base64');
  expect(await project.run(command)).toBe(value);
});

/** The code blocks of a section, by language. */
function blocksOf(path: string, heading: string): (language: string) => string {
  const blocks = codeBlocks({ path, text: sectionOf(pageAt(path), heading) });
  return (language) => blocks.find((block) => block.language === language)?.code ?? '';
}
