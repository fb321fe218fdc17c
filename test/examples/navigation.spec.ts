// Routers and templates as the real packages have them: each order shows its own offers, requested and counted once.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@playwright/test';
import { poll } from '../line/drivers/poll.ts';
import { offersOf, useFixture } from '../line/page/pageFixture.ts';
import { scriptTag } from '../line/page/pageShop.ts';
import { withNode } from './prepare.mjs';
import { installInto, temporaryFolder } from '../package/packages.ts';

const PACKAGES =
  'astro@7.3.5 htmx2@npm:htmx.org@2.0.11 htmx4@npm:htmx.org@4.0.1 vue@3.5.45 esbuild@0.28.2 ' +
  'solid-js@1.9.20 babel-preset-solid@1.9.16 @babel/core@7.29.13 rxjs@7.8.2 @angular/core@22.2.6 ' +
  '@angular/common@22.2.6 @angular/compiler@22.2.6 @angular/platform-browser@22.2.6';

const fixture = useFixture();
const folder = temporaryFolder();
test.beforeAll(() => installInto(folder.path, PACKAGES.split(' ')));
test.afterAll(() => folder.remove());

const HEAD = '<title>Shop</title><link rel="icon" href="data:,">';
const body = (order: string, tag = scriptTag({ 'order-id': order })): string =>
  `<h1>Order ${order}</h1><div id="offers"></div><a href="/${order === 'a' ? 'b' : 'a'}">next</a>${tag}`;
const ELEMENT = '<offer-let relay="/offers" view="THANK_YOU" display-mode="INLINE"';

/** What puts a shop with the pages or states of two orders, and returns the page of the first. */
const SHOPS: Readonly<Record<string, () => string>> = {
  'Astro, with <ClientRouter />'() {
    const imports = "---\nimport { ClientRouter } from 'astro:transitions';\n---\n";
    for (const order of ['a', 'b']) {
      const tag = scriptTag({ 'order-id': order }).replace('async', 'is:inline async data-astro-rerun');
      const page = `<html lang="en"><head>${HEAD}<ClientRouter /></head><body>${body(order, tag)}</body></html>`;
      write(`src/pages/${order}.astro`, `${imports}${page}`);
    }
    run('astro', 'build');
    for (const file of readdirSync(join(folder.path, 'dist'), { recursive: true, encoding: 'utf8' }))
      if (file.endsWith('.js')) serveScript(`/${file}`, `dist/${file}`);
      else if (file.endsWith('.html')) fixture.page(`/${dirname(file)}`, read(`dist/${file}`));
    return `${fixture.url}/a`;
  },
  'htmx 2': () => boosted('htmx2', 'hx-boost'),
  'htmx 4': () => boosted('htmx4', 'hx-boost:inherited'),
  'Solid, which sets properties'() {
    write(
      'solid.jsx',
      `import { createSignal } from 'solid-js';
import { render } from 'solid-js/web';
const [order, setOrder] = createSignal('a');
render(() => <><a onClick={() => setOrder('b')}>next</a>${ELEMENT} order-id={order()} /></>, document.body);`,
    );
    write('solid.config.json', '{ "presets": ["babel-preset-solid"] }');
    const compile =
      "console.log(require('@babel/core').transformFileSync('solid.jsx', require('./solid.config.json')).code)";
    return bundled(run('node', '--input-type=commonjs', '-e', compile), ['element', 'bundle']);
  },
  'Vue, with a property that is bound before the element is defined': () =>
    bundled(
      `import { createApp, ref } from 'vue/dist/vue.esm-browser.prod.js';
const template = '<a @click="order = \\'b\\'">next</a>${ELEMENT} :orderId="order" />';
createApp({ setup: () => ({ order: ref('a') }), template }).mount(document.body);`,
      ['bundle', 'element'],
    ),
  'Angular, which binds attributes late': () =>
    bundled(
      `import '@angular/compiler';
import { Component, CUSTOM_ELEMENTS_SCHEMA, provideZonelessChangeDetection, signal } from '@angular/core';
import { bootstrapApplication } from '@angular/platform-browser';
class Shop { order = signal('a'); }
const template = \`<a (click)="order.set('b')">next</a>${ELEMENT} [attr.order-id]="order()"></offer-let>\`;
Component({ selector: 'body', schemas: [CUSTOM_ELEMENTS_SCHEMA], template })(Shop);
bootstrapApplication(Shop, { providers: [provideZonelessChangeDetection()] });`,
      ['element', 'bundle'],
    ),
};

for (const [name, start] of Object.entries(SHOPS))
  test(`${name}: each order shows its own offers, requested and counted once`, async ({ page }) => {
    const lines: string[] = [];
    const outcomes: string[] = [];
    page.on('console', (line) => ['error', 'warning'].includes(line.type()) && lines.push(line.text()));
    page.on('pageerror', (error) => lines.push(String(error)));
    await page.route('**/*.svg', (route) => route.fulfill({ body: '' }));
    await page.exposeFunction('heard', ({ code }: { code?: string }) => code && outcomes.push(code));
    await page.addInitScript(
      "addEventListener('offerlet', ({ detail }) => detail.type === 'outcome' && heard(detail))",
    );
    const orders: unknown[] = [];
    fixture.reply = ({ body }) => {
      const { order_id } = { ...(body.order_details as { order_id?: string } | undefined) };
      orders.push(order_id);
      return JSON.parse(JSON.stringify(offersOf(1)).replace('Heading 1', `Offer for ${order_id}`)) as unknown;
    };
    await page.goto(start());
    const heading = page.locator('[part~=heading]');
    await expect(heading).toHaveText('Offer for a');
    await page.evaluate('window.stays = true');
    await page.getByText('next').click();
    await expect(heading).toHaveText('Offer for b');
    await expect(heading).toHaveCount(1);
    await poll(() => fixture.names().filter((event) => event === 'WIDGET_LOAD').length).toBe(2);
    await poll(() => outcomes).toEqual(['rendered', 'rendered']);
    expect([orders, lines, await page.evaluate('stays')]).toEqual([['a', 'b'], [], true]);
  });

function boosted(name: string, attribute: string): string {
  serveScript('/htmx.js', `node_modules/${name}/dist/htmx.min.js`);
  const head = `<!doctype html><html lang="en"><head>${HEAD}<script src="/htmx.js"></script></head>`;
  for (const order of ['a', 'b'])
    fixture.page(`/${order}`, `${head}<body ${attribute}="true">${body(order)}</body></html>`);
  return `${fixture.url}/a`;
}

/** A page with the code, bundled, before or after the module that defines the element. */
function bundled(code: string, modules: readonly string[]): string {
  write('app.js', code);
  run('esbuild', 'app.js', '--bundle', '--format=esm', '--outfile=bundle.js', '--log-level=error');
  serveScript('/bundle.js', 'bundle.js');
  const tags = modules.map((module) => `<script type="module" src="/${module}.js"></script>`);
  return fixture.page(
    '/app',
    `<!doctype html><html lang="en"><head>${HEAD}${tags.join('')}</head><body></body></html>`,
  );
}

function serveScript(path: string, file: string): void {
  fixture.page(path, read(file), { 'content-type': 'text/javascript' });
}

function read(path: string): string {
  return readFileSync(join(folder.path, path), 'utf8');
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder.path, path)), { recursive: true });
  writeFileSync(join(folder.path, path), text);
}

/** Runs a command of the project to its end, and returns what it prints. Astro needs a newer Node than ours does. */
function run(command: string, ...args: string[]): string {
  const path = command === 'node' ? process.execPath : join(folder.path, 'node_modules/.bin', command);
  const [first = '', ...more] = withNode(command === 'astro' ? '22' : '0', path);
  return execFileSync(first, [...more, ...args], {
    cwd: folder.path,
    encoding: 'utf8',
    env: { ...process.env, ASTRO_TELEMETRY_DISABLED: '1' },
  });
}
