import { createRelay, type RelayOptions, type RequestInfo } from 'offerlet/relay';
import { forcedFetch } from '../wire/scenarios/forcedFetch.ts';
import type { Scenario } from '../wire/scenarios/scenarios.ts';

/** Where the shop's backend mounts its relay. */
export const RELAY_PATH = '/offers';

/** The network behind the sandbox's relay, and what goes wrong between the two. */
export interface SandboxRelayOptions {
  readonly apiKey: string;
  /** The network's URL. */
  readonly network: string;
  readonly scenario?: Scenario | undefined;
  readonly context?: RelayOptions['context'];
  /** The network's time, which a test may have stopped. By default it is this machine's. */
  readonly readClock?: (() => Promise<Date>) | undefined;
}

/**
 * Creates the relay of the sandbox. A scenario is played between it and the network, and its clock is the network's: the
 * times of a page whose clock is stopped like that of the network are not corrected.
 */
export function createSandboxRelay({ apiKey, network, scenario, context, readClock }: SandboxRelayOptions) {
  let time: number | undefined;
  const relay = createRelay({
    apiKey,
    networkUrl: network,
    version: '1.0.0',
    basePath: RELAY_PATH,
    sandbox: true,
    forwardEventIds: true,
    context,
    fetch: scenario && forcedFetch(globalThis.fetch, scenario),
    now: () => time ?? Date.now(),
  });
  return async (request: Request, info?: RequestInfo): Promise<Response> => {
    // A network that is down has no clock.
    time = (await readClock?.().catch(() => undefined))?.getTime();
    return relay(request, info);
  };
}
