import { UsageError } from '../cli/UsageError.ts';
import { untilStopped } from '../cli/listen.ts';
import type { Network } from '../network.ts';

/** Waits until a command is stopped and closes what it started. Throws at once when another process takes the network's data over. */
export async function untilStoppedOrLost(
  network: Network,
  servers: readonly { close(): Promise<void> }[],
): Promise<void> {
  const lost = await Promise.race([untilStopped([...servers, network]), network.lost]);
  if (lost) throw new UsageError(lost.message);
}
