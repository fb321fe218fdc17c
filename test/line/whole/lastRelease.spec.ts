import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { createRelay, toNode } from '../../../src/relay.ts';
import { fakeRelay } from '../../../src/testing.ts';
import { serve } from '../../fixtures/serve.ts';

// Pages are cached and files are pinned: a script of the last release meets today's relay, and has to work with it.
// docs/project/versioning.md promises that. The same with today's script shows that the harness itself works.

/** The newest tag that is a released version; undefined before the first one. */
function lastRelease(): string | undefined {
  const { stdout } = spawnSync('git', ['tag', '--list', 'v*.*.*', '--sort=-v:refname'], { encoding: 'utf8' });
  return stdout.split('\n').find((tag) => /^v\d+\.\d+\.\d+$/.test(tag));
}

/** The script in the package of a version, as the registry has it. */
function scriptOf(version: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'offerlet-release-'));
  try {
    const install = ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', `offerlet@${version}`];
    const { status, stderr } = spawnSync('npm', install, { cwd: folder, encoding: 'utf8' });
    expect(status, stderr).toBe(0);
    return readFileSync(join(folder, 'node_modules/offerlet/dist/offerlet.js'), 'utf8');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const SCRIPTS: Readonly<Record<string, () => string | undefined>> = {
  "today's script": () => readFileSync('dist/offerlet.js', 'utf8'),
  "the last release's script": () => {
    const tag = lastRelease();
    return tag === undefined ? undefined : scriptOf(tag.slice(1));
  },
};

const PAGE = `<!doctype html><title>Thank you</title><div id="offers"></div>
<script async src="/offerlet.js" data-relay="/offers" data-view="THANK_YOU" data-display-mode="INLINE"
  data-target="#offers" data-external-guid="c-42" data-order-id="1001"></script>`;

for (const [name, read] of Object.entries(SCRIPTS))
  test(`${name} shows an offer and reports a click through today's relay`, async ({ page }) => {
    const script = read();
    test.skip(script === undefined, 'Nothing has been released yet.');
    const network = fakeRelay({ offers: 1 });
    const relay = toNode(
      createRelay({
        apiKey: 'adnet_rk_test_release',
        version: '1.0.0',
        networkUrl: 'https://partner.example',
        basePath: '/offers',
        sandbox: true,
        forwardEventIds: true, // the network behind it is one that removes duplicates
        fetch: (url, init) => network(new Request(url, init)),
      }),
    );
    const shop = await serve(
      createServer((request, response) => {
        if (request.url?.startsWith('/offers/')) return relay(request, response);
        const isScript = request.url === '/offerlet.js';
        response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
        response.end(isScript ? script : PAGE);
      }),
    );
    try {
      await page.context().route('https://offers.offerlet.test/**', (route) => route.fulfill({ body: 'Advertiser' }));
      await page.goto(shop.url);
      await page.locator('#offers [part~=accept]').click();
      await network.whenDelivered('BRAND_CLICK');
      await network.whenDelivered('WIDGET_LOAD');
      expect(network.receipts.filter(({ status }) => status === 'refused')).toEqual([]);
    } finally {
      await shop.close();
    }
  });
