import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

// One import that must not stand in each folder, and one that may.
const FORBIDDEN: readonly (readonly [file: string, from: string])[] = [
  ['src/wire/seeded.ts', '../queue/openQueue.ts'],
  ['src/wire/seeded-package.ts', 'preact'],
  ['src/widget/seeded.ts', '../queue/openQueue.ts'],
  ['src/widget/seeded-package.ts', 'idb-keyval'],
  ['src/queue/seeded.ts', '../page/showOffers.ts'],
  ['src/queue/seeded-package.ts', 'preact'],
  ['src/page/seeded.ts', '../relay/createRelay.ts'],
  ['src/inspector/seeded.ts', '../queue/openQueue.ts'],
  ['src/relay/seeded.ts', '../network/createNetwork.ts'],
  ['src/relay/deep/seeded.ts', '../../clients/ChannelClient.ts'],
  ['src/clients/seeded.ts', '../relay/createRelay.ts'],
  ['src/clients/seeded-lock.ts', '../lock/lockDirectory.ts'],
  ['src/lock/seeded.ts', '../wire/json.ts'],
  ['src/lock/seeded-package.ts', 'pg'],
  ['src/queue/seeded-lock.ts', '../lock/lockDirectory.ts'],
  ['src/network/seeded.ts', '../relay/createRelay.ts'],
  ['src/network/deep/seeded.ts', '../../widget/Offer.tsx'],
  ['src/guard/seeded.ts', '../network/createNetwork.ts'],
  ['src/cli/seeded.ts', '../page/showOffers.ts'],
  ['src/cli/seeded-sandbox.ts', '../sandbox/serve.ts'],
  ['src/cli/seeded-package.ts', '@hono/node-server'],
  ['src/relay/seeded-package.ts', 'valibot'],
  ['src/clients/seeded-package.ts', 'hono'],
  ['src/sandbox/seeded.ts', '../relay.ts'],
  ['src/seeded.ts', './widget/Offer.tsx'],
  ['demo/seeded.ts', '../src/index.ts'],
];
const ALLOWED: readonly (readonly [file: string, from: string])[] = [
  ['src/wire/fine.ts', './json.ts'],
  ['src/widget/fine.ts', 'preact/hooks'],
  ['src/widget/parts/fine.ts', '../../wire/json.ts'],
  ['src/queue/fine.ts', 'idb-keyval'],
  ['src/page/fine.ts', '../queue/openQueue.ts'],
  ['src/relay/fine.ts', '../wire/json.ts'],
  ['src/relay/fine-lock.ts', '../lock/lockDirectory.ts'],
  ['src/network/fine-lock.ts', '../lock/lockDirectory.ts'],
  ['src/lock/fine.ts', 'node:fs'],
  ['src/lock/fine-own.ts', './holder.ts'],
  ['src/guard/fine.ts', '../wire/loopback.ts'],
  ['src/network/deep/fine.ts', '../database/database.ts'],
  ['src/cli/fine.ts', '../relay.ts'],
  ['src/cli/fine-node.ts', 'node:http'],
  ['src/sandbox/fine.ts', 'offerlet/relay'],
  ['demo/fine.ts', 'offerlet/clients'],
];

test('lint catches an import through each wall, and nothing else', () => {
  const folder = mkdtempSync(join(tmpdir(), 'walls-'));
  cpSync('.oxlintrc.json', join(folder, '.oxlintrc.json'));
  for (const [file, from] of [...FORBIDDEN, ...ALLOWED]) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), `import * as seeded from '${from}';\nexport const used = seeded;\n`);
  }
  const { stdout } = spawnSync(join(process.cwd(), 'node_modules/.bin/oxlint'), ['--format', 'json'], {
    cwd: folder,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  const report = JSON.parse(stdout) as { diagnostics: { code: string; filename: string }[] };
  const caught = report.diagnostics
    .filter(({ code }) => code.includes('no-restricted-imports'))
    .map(({ filename }) => filename.replaceAll('\\', '/'));
  rmSync(folder, { recursive: true });
  expect(caught.toSorted()).toEqual(FORBIDDEN.map(([file]) => file).toSorted());
});
