import type { Network } from '../../../src/network.ts';
import { useWatchWorld } from '../watch/watchWorld.ts';
import type { Ran, RunOptions } from './runCommand.ts';

/** The commands against a sandbox network, with a separate account. */
export interface Operators {
  network(): Network;
  url(): string;
  /** The home of the account that runs the commands. */
  home(): string;
  file(): string;
  key(): string;
  /** Runs a command line; words in double quotes stay together. */
  offerlet(args: string, options?: Partial<RunOptions>): Promise<Ran>;
}

/** Opens a network with the demo's data for all tests of a file. */
export function useOperators(): Operators {
  const world = useWatchWorld();
  return {
    network: () => world.network,
    url: () => world.url,
    home: () => world.folder,
    file: () => world.file,
    key: () => world.key,
    offerlet: (args, { env, ...options } = {}) => world.run(args, { env: { HOME: world.folder, ...env }, ...options }),
  };
}
