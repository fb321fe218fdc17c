import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createNetwork, type NetworkOptions } from '../../../src/network.ts';
import { makeFolder } from '../../fixtures/makeFolder.ts';
import { DATABASE_KINDS, startPostgres } from '../databases.ts';
import { event, NOW, testNetworkOf } from '../testNetwork.ts';

const page = readFileSync(new URL('../../../docs/operators/network.md', import.meta.url), 'utf8');
const [, section = ''] = page.split('### Backups');
const COMMANDS = [...section.matchAll(/```sh\n(.*?)```/gs)].map(([, commands = '']) => commands);

/** Runs a block of the page. */
async function run(
  commands: string | undefined,
  options: { cwd: string; env?: Record<string, string> },
): Promise<void> {
  await promisify(execFile)('sh', ['-ec', commands ?? 'exit 1'], {
    ...options,
    env: { ...process.env, ...options.env },
  });
}

describe.each(DATABASE_KINDS)('a backup of a network on %s', (kind) => {
  test('brings back what was stored, with its keys', async () => {
    const cluster = kind === 'postgres' ? await startPostgres() : undefined;
    const [cwd, databaseUrl = ''] = [makeFolder(), await cluster?.freshUrl()];
    const place: NetworkOptions = cluster ? { databaseUrl } : { data: `${cwd}/.offerlet/network` };
    const options = { cwd, env: { OFFERLET_DATABASE_URL: databaseUrl } };
    const [backUp, restore] = cluster ? COMMANDS.slice(2, 4) : COMMANDS.slice(0, 2);
    const start = () => createNetwork({ ...place, seed: 'empty', now: NOW, log: () => undefined });
    const report = async ({ session, batch, summary }: ReturnType<typeof testNetworkOf>) => {
      await batch([event('WIDGET_LOAD', await session())]);
      return (await summary())['feed_loads'];
    };

    let network = await start();
    const { keys } = network.describe();
    expect(await report(testNetworkOf(network))).toBe(1);
    // A server is backed up while the network runs, a directory is not.
    if (!cluster) await network.close();
    await run(backUp, options);
    if (!cluster) network = await start();
    expect(await report(testNetworkOf(network))).toBe(2);
    await network.close();
    await run(restore, options);
    network = await start();
    expect(network.describe().keys).toEqual(keys);
    expect(await report(testNetworkOf(network))).toBe(2);
    await network.close();
    await cluster?.stop();
  });
});
