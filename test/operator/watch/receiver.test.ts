import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { transformWithOxc } from 'vite';
import { expect, test } from 'vitest';
import { blocksIn } from '../../docs/pages.ts';
import { EXAMPLE_RULES } from '../../../src/operator/watch/rules.ts';
import { openReceiver, useOperatorWorld } from '../operatorWorld.ts';

// The receiver in docs/operators/watch.md, verbatim.

const world = useOperatorWorld();
const blocks = (language: string) => blocksIn(language).filter(({ page }) => page === 'docs/operators/watch.md');
type IsGenuine = (body: string, header: string, secret: string, now?: number) => boolean;

test('the rules in the documentation are those of --init', () => {
  expect(blocks('yaml')[0]?.code.trim()).toBe(EXAMPLE_RULES.trim());
});

test('the receiver in the documentation accepts what the command sends, and nothing else', async () => {
  const file = join(world.folder, 'receiver.mjs');
  writeFileSync(file, (await transformWithOxc(blocks('ts')[0]?.code ?? '', 'receiver.ts')).code);
  const { isGenuine } = (await import(pathToFileURL(file).href)) as { isGenuine: IsGenuine };
  const receiver = await openReceiver();
  const env = { OFFERLET_WEBHOOK_URL: receiver.url, OFFERLET_WEBHOOK_SECRET: 'whsec_docs' };
  await world.run(`watch --state ${join(world.folder, 'docs.state.json')}`, { env });
  await receiver.close();
  const [delivery] = receiver.received;
  const body = delivery?.body ?? '';
  const signature = delivery?.headers['offerlet-signature'] ?? '';
  expect(isGenuine(body, signature, 'whsec_docs')).toBe(true);
  expect(isGenuine(`${body} `, signature, 'whsec_docs')).toBe(false);
  expect(isGenuine(body, signature, 'whsec_other')).toBe(false);
  expect(isGenuine(body, signature.replace(/t=\d+/, `t=${Math.floor(Date.now() / 1_000) + 1}`), 'whsec_docs')).toBe(
    false,
  );
  expect(isGenuine(body, signature, 'whsec_docs', Date.now() + 600_000)).toBe(false);
  expect(isGenuine(body, '', 'whsec_docs')).toBe(false);
  // The fields of the message are those of the example.
  const [example] = blocks('json');
  expect(Object.keys(JSON.parse(body) as object)).toEqual(Object.keys(JSON.parse(example?.code ?? '{}') as object));
});
