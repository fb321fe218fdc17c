import { runCommand } from '../line/console/consoleFixture.ts';
import { openChannel } from './console.ts';

/** `npm run bench -- watch [publishers]`: what two visits of the console's page *Watch* cost, and the command. */
export async function run(args: string[]): Promise<void> {
  const channel = await openChannel(Number(args[0] ?? 2_000));
  async function measure(what: string, work: () => Promise<unknown>): Promise<void> {
    const [began, before] = [performance.now(), channel.requests()];
    await work();
    const seconds = ((performance.now() - began) / 1_000).toFixed(1);
    console.log(`  ${what.padEnd(16)} ${seconds} s, ${channel.requests() - before} requests`);
  }
  const visit = () => fetch(`${channel.console}/api/watch?days=30`).then((response) => response.json());
  try {
    await measure('the first visit', visit);
    await measure('the second visit', visit);
    await measure('the command', () => runCommand(['watch', '--network', channel.url, '--json'], channel.key));
  } finally {
    await channel.close();
  }
}
