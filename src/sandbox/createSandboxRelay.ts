import { createRelay, type Relay, type RelayOptions } from 'offerlet/relay';
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
}

/** Creates the relay of the sandbox. A scenario is played between it and the network. */
export function createSandboxRelay({ apiKey, network, scenario, context }: SandboxRelayOptions): Relay {
  return createRelay({
    apiKey,
    baseUrl: network,
    version: '1.0.0',
    basePath: RELAY_PATH,
    sandbox: true,
    forwardEventIds: true,
    context,
    fetch: scenario && forcedFetch(globalThis.fetch, scenario),
  });
}
