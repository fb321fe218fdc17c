import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

// For each folder, imports that lint must refuse, and some that it must accept.
const FORBIDDEN: readonly (readonly [file: string, from: string])[] = [
  ['src/wire/seeded.ts', '../queue/openQueue.ts'],
  ['src/wire/seeded-package.ts', 'preact'],
  ['src/widget/seeded.ts', '../queue/openQueue.ts'],
  ['src/widget/seeded-package.ts', 'idb-keyval'],
  ['src/queue/seeded.ts', '../page/showOffers.ts'],
  ['src/queue/seeded-package.ts', 'preact'],
  ['src/dom/seeded.ts', '../wire/json.ts'],
  ['src/queue/seeded-session.ts', '../session/offerSession.ts'],
  ['src/queue/seeded-dom.ts', '../dom/dom.ts'],
  ['src/widget/seeded-session.ts', '../session/openTrace.ts'],
  ['src/consent/seeded.ts', '../session/openSession.ts'],
  ['src/consent/seeded-wire.ts', '../wire/json.ts'],
  ['src/session/seeded.ts', '../page/showOffers.ts'],
  ['src/session/seeded-widget.ts', '../widget/props.ts'],
  ['src/session/seeded-dom.ts', '../dom/dom.ts'],
  ['src/session/seeded-package.ts', 'preact'],
  ['src/react/seeded.ts', '../page/showOffers.ts'],
  ['src/react/seeded-package.ts', 'preact'],
  ['src/shopify/seeded.ts', '../page/showOffers.ts'],
  ['src/shopify/seeded-session.ts', '../session/openTrace.ts'],
  ['src/shopify/seeded-attempt.ts', '../session/offerSession.ts'],
  ['src/shopify/seeded-widget.ts', '../widget/props.ts'],
  ['src/shopify/seeded-package.ts', '@shopify/ui-extensions'],
  ['src/page/seeded-react.ts', 'react'],
  ['src/page/seeded.ts', '../relay/createRelay.ts'],
  ['src/inspector/seeded.ts', '../queue/openCore.ts'],
  ['src/relay/seeded.ts', '../network/createNetwork.ts'],
  ['src/relay/deep/seeded.ts', '../../operator/clients/ChannelClient.ts'],
  ['src/operator/clients/seeded.ts', '../../relay/createRelay.ts'],
  ['src/operator/clients/seeded-lock.ts', '../../lock/lockDirectory.ts'],
  ['src/operator/clients/seeded-cli.ts', '../../cli/readKeyFile.ts'],
  ['src/lock/seeded.ts', '../wire/json.ts'],
  ['src/lock/seeded-package.ts', 'pg'],
  ['src/queue/seeded-lock.ts', '../lock/lockDirectory.ts'],
  ['src/network/seeded.ts', '../relay/createRelay.ts'],
  ['src/network/deep/seeded.ts', '../../widget/OfferCard.tsx'],
  ['src/operator/publishers/seeded.ts', '../command/whoami.ts'],
  ['src/operator/publishers/seeded-package.ts', 'preact'],
  ['src/operator/console/page/report/seeded-cli.ts', '../../../../cli/output/print.ts'],
  ['src/http/seeded.ts', '../network/createNetwork.ts'],
  ['src/cli/seeded.ts', '../page/showOffers.ts'],
  ['src/cli/seeded-sandbox.ts', '../sandbox/startNetwork.ts'],
  ['src/cli/seeded-operator.ts', '../operator/commands.ts'],
  ['src/operator/command/seeded.ts', '../../relay.ts'],
  ['src/operator/command/seeded-package.ts', 'yargs'],
  ['src/operator/publishers/seeded-yaml.ts', 'yaml'],
  ['src/cli/seeded-package.ts', '@hono/node-server'],
  ['src/relay/seeded-package.ts', 'valibot'],
  ['src/operator/clients/seeded-package.ts', 'hono'],
  ['src/sandbox/seeded.ts', '../relay.ts'],
  ['src/testing/seeded.ts', '../network/createNetwork.ts'],
  ['src/testing/deep/seeded.ts', '../../session/openSession.ts'],
  ['src/testing/seeded-package.ts', 'preact'],
  ['src/seeded.ts', './widget/OfferCard.tsx'],
  ['demo/seeded.ts', '../src/index.ts'],
  ['src/operator/console/seeded.ts', '../../relay/createRelay.ts'],
  ['src/operator/console/seeded-page.ts', './page/app/call.ts'],
  ['src/operator/console/seeded-package.ts', 'preact'],
  ['src/operator/console/page/report/seeded.ts', '../../../clients/errors.ts'],
  ['src/operator/console/page/report/seeded-node.ts', 'node:fs'],
  ['examples/shop/seeded.ts', '../../src/index.ts'],
];
const ALLOWED: readonly (readonly [file: string, from: string])[] = [
  ['src/wire/fine.ts', './json.ts'],
  ['src/widget/fine.ts', 'preact/hooks'],
  ['src/widget/parts/fine.ts', '../../wire/json.ts'],
  ['src/queue/fine.ts', 'idb-keyval'],
  ['src/react/fine.ts', '../index.ts'],
  ['src/shopify/fine.ts', '../session.ts'],
  ['src/shopify/fine-open.ts', '../session/openSession.ts'],
  ['src/shopify/fine-package.ts', 'preact/hooks'],
  ['src/react/fine-package.ts', 'react'],
  ['src/page/fine.ts', '../session/offerSession.ts'],
  ['src/page/deep/fine.ts', '../../dom/dom.ts'],
  ['src/session/fine.ts', '../queue/openCore.ts'],
  ['src/dom/fine.ts', './dom.ts'],
  ['src/relay/fine.ts', '../wire/json.ts'],
  ['src/relay/fine-lock.ts', '../lock/lockDirectory.ts'],
  ['src/network/fine-lock.ts', '../lock/lockDirectory.ts'],
  ['src/lock/fine.ts', 'node:fs'],
  ['src/lock/fine-own.ts', './lockFiles.ts'],
  ['src/http/fine.ts', '../wire/keys.ts'],
  ['src/network/deep/fine.ts', '../database/database.ts'],
  ['src/cli/fine.ts', '../relay.ts'],
  ['src/cli/fine-node.ts', 'node:http'],
  ['src/operator/command/fine.ts', '@hono/node-server'],
  ['src/operator/watch/fine.ts', '../../lock/lockDirectory.ts'],
  ['src/operator/fine.ts', 'yaml'],
  ['src/testing/fine.ts', '../relay/createHandler.ts'],
  ['src/testing/deep/fine.ts', '../../wire/json.ts'],
  ['src/testing/fine-package.ts', '@playwright/test'],
  ['src/sandbox/fine.ts', 'offerlet/relay'],
  ['demo/fine.ts', 'offerlet-operator'],
  ['src/operator/console/fine.ts', '../../http/refuseForeign.ts'],
  ['src/operator/console/fine-clients.ts', '../clients/ReportingClient.ts'],
  ['src/operator/console/page/report/fine.ts', '../../../reports/format.ts'],
  ['src/operator/console/page/fine-package.ts', 'preact/hooks'],
];

/** Lints files that are written into an empty folder; returns those in which the rule found something. */
function caughtBy(rule: string, files: readonly (readonly [file: string, text: string])[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'walls-'));
  cpSync('.oxlintrc.json', join(folder, '.oxlintrc.json'));
  for (const [file, text] of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  const { stdout } = spawnSync(join(process.cwd(), 'node_modules/.bin/oxlint'), ['--format', 'json'], {
    cwd: folder,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  rmSync(folder, { recursive: true });
  const report = JSON.parse(stdout) as { diagnostics: { code: string; filename: string }[] };
  return report.diagnostics
    .filter(({ code }) => code.includes(rule))
    .map(({ filename }) => filename.replaceAll('\\', '/'))
    .toSorted();
}

test('lint refuses an import across each boundary, and accepts the others', () => {
  const files = [...FORBIDDEN, ...ALLOWED].map(
    ([file, from]) => [file, `import * as seeded from '${from}';\nexport const used = seeded;\n`] as const,
  );
  expect(caughtBy('no-restricted-imports', files)).toEqual(FORBIDDEN.map(([file]) => file).toSorted());
});

test('lint catches a read of `document`, whose properties elements of the page can shadow', () => {
  const browser = ['page/deep', 'session', 'widget', 'queue', 'inspector'].map((folder) => `src/${folder}/seeded.ts`);
  const files = [...browser, 'src/script-tag.ts', 'src/dom/fine.ts', 'src/network/fine.ts'];
  const found = caughtBy(
    'no-restricted-globals',
    files.map((file) => [file, 'export const used = document.body;\n']),
  );
  expect(found).toEqual([...browser, 'src/script-tag.ts'].toSorted());
});

test('session/ needs no document: it compiles with the types of a web worker', () => {
  const { status, stdout } = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'src/session'], {
    encoding: 'utf8',
  });
  expect(stdout).toBe('');
  expect(status).toBe(0);
});
