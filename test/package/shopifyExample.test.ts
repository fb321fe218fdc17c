import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, test } from 'vitest';

// What `shopify app dev` writes beside the extension.
const GENERATED = `import '@shopify/ui-extensions';

//@ts-ignore
declare module './src/offers.jsx' {
  const shopify:
    | import('@shopify/ui-extensions/purchase.thank-you.block.render').Api
    | import('@shopify/ui-extensions/customer-account.order-status.block.render').Api;
  const globalThis: { shopify: typeof shopify };
}
`;

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** Type-checks the example as an app has it, with a version of Preact. Returns what the compiler prints. */
async function check(preact: string, change: (folder: string) => void = () => {}): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'offerlet-extension-'));
  folders.push(folder);
  cpSync('examples/shopify', folder, { recursive: true });
  writeFileSync(join(folder, 'shopify.d.ts'), GENERATED);
  mkdirSync(join(folder, 'node_modules'));
  for (const [name, target] of Object.entries({
    offerlet: '.',
    preact: `node_modules/${preact}`,
    '@shopify': 'node_modules/@shopify',
  }))
    symlinkSync(resolve(target), join(folder, 'node_modules', name));
  change(folder);
  // With preserved links, everything finds the one Preact of the app, as after an installation.
  const args = [resolve('node_modules/typescript/bin/tsc'), '-p', folder, '--preserveSymlinks'];
  return promisify(execFile)(process.execPath, args).then(
    ({ stdout }) => stdout,
    (error: { stdout: string; stderr: string }) => error.stdout || error.stderr || 'It failed.',
  );
}

test.each(['preact', 'preact-10'])(
  'the example passes its own type check with what the platform generates, with %s',
  async (preact) => {
    expect(await check(preact)).toBe('');
  },
);

test('the check finds a setting that is used without a look at its type', async () => {
  const careless = '/** @type {string} */\nexport const relay = shopify.settings.value.relay;\n';
  const printed = await check('preact', (folder) => writeFileSync(join(folder, 'src/offers.jsx'), careless));
  expect(printed).toContain("is not assignable to type 'string'");
});
