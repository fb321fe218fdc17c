import type { Network } from '../network.ts';
import { createOutput } from '../cli/output/createOutput.ts';
import { CONSOLE_PATH, createSandboxConsole } from './createSandboxConsole.ts';
import { createSandboxRelay, RELAY_PATH } from './createSandboxRelay.ts';
import { CONTROL_PATH, controlSurface } from './controlSurface.ts';
import { serve, type Handler } from './serve.ts';
import { startNetwork } from './networkCommand.ts';
import { readControlHosts } from './readControlHosts.ts';
import { listScenarios, queryOf, readScenario } from './scenarioOption.ts';
import type { Command } from '../cli/command.ts';
import type { Options } from '../cli/options.ts';
import { readSettings, type SettingsSource } from '../cli/readSettings.ts';
import { UsageError } from '../cli/UsageError.ts';
import { CONTROL_HOST, DATABASE, JSON_OUTPUT, readDatabaseUrls, readWait } from './sharedOptions.ts';
import { loadShop } from './loadShop.ts';
import { isReading, refuseForeign } from '../http/refuseForeign.ts';
import { untilStoppedOrLost } from './untilStoppedOrLost.ts';

const OPTIONS = {
  port: { kind: 'port', default: 4173, about: 'Port of the demo shop; 0 for any free port.' },
  'network-port': { kind: 'port', default: 4600, about: 'Port of the network; 0 for any free port.' },
  ...DATABASE,
  'control-host': CONTROL_HOST,
  scenario: { kind: 'text', value: 'NAME', about: 'Plays a test scenario, such as no-offers or second-event-fails.' },
  scenarios: { kind: 'flag', about: 'Prints all scenarios, and what a tester must see in each.' },
  json: JSON_OUTPUT,
} as const satisfies Options;

/** `offerlet sandbox`: a network, a relay and a demo shop in one process. Page and relay share one origin. */
export const sandboxCommand: Command = {
  summary: 'Runs a sandbox network, a relay and a demo shop on this machine.',
  options: OPTIONS,
  run: runSandbox,
};

async function runSandbox(source: SettingsSource): Promise<void> {
  const settings = readSettings(OPTIONS, source);
  const out = createOutput({ json: settings.json });
  if (settings.scenarios) return listScenarios(out);
  const scenario = readScenario(settings.scenario);
  out.say(
    'Starting the sandbox network. The first start seeds 46 offers and 60 days of history; this takes a few seconds.',
  );
  const hosts = readControlHosts(settings['control-host']);
  const front = openFront(hosts);
  // Listens first: a port in use is reported at once, and early requests wait.
  const server = await serve(front.respond, { port: settings.port });
  const loading = loadShop();
  loading.catch(() => undefined); // reported where it is awaited
  const { network, server: networkServer } = await startNetwork({
    port: settings['network-port'],
    portOption: '--network-port',
    data: settings.data,
    memory: settings.memory,
    databaseUrl: readDatabaseUrls(settings['database-url'], { argv: source.argv, out }),
    wait: readWait(settings.wait),
    environment: 'staging',
    controlHosts: hosts,
    seed: 'demo',
    out: settings.json ? out : { ...out, log: () => undefined },
  });
  const keys = complete(network.describe().keys);
  const { createShop, context } = await loading;
  front.open({
    relay: createSandboxRelay({
      apiKey: keys.integration,
      network: networkServer.url,
      scenario,
      context,
      readClock: () => network.now(),
    }),
    controls: controlSurface({ network, url: networkServer.url, hosts }),
    operators: createSandboxConsole({ network: networkServer.url, apiKey: keys.management, hosts }),
    shop: createShop({ network: networkServer.url, keys }),
  });
  out.json({
    shop: server.url,
    console: server.url + CONSOLE_PATH,
    relay: server.url + RELAY_PATH,
    network: networkServer.url,
    keys,
  });
  out.say(
    `Network   ${networkServer.url}\nRelay     ${server.url}${RELAY_PATH}\nReport    ${server.url}/report\nConsole   ${server.url}${CONSOLE_PATH}\nControls  ${server.url}${CONTROL_PATH}/health\nPress Ctrl-C to stop.\n`,
  );
  if (scenario) out.say(`Scenario  ${scenario.title}.\n          ${scenario.mustSee}\n`);
  out.say(`Open ${server.url}${queryOf(scenario)}`);
  await untilStoppedOrLost(network, [server, networkServer]);
}

interface Behind {
  relay: Handler;
  controls: Handler;
  operators: Handler;
  shop: Handler;
}

/** One origin for page, relay, controls and console. Earlier requests wait until all are ready. */
function openFront(hosts: readonly string[]): { respond: Handler; open(behind: Behind): void } {
  let open: (behind: Behind) => void = () => undefined;
  const ready = new Promise<Behind>((resolve) => (open = resolve));
  return {
    open: (behind) => open(behind),
    async respond(request, from) {
      const { pathname } = new URL(request.url);
      const { relay, controls, operators, shop } = await ready;
      if (pathname.startsWith(`${RELAY_PATH}/`)) return relay(request, from);
      if (pathname.startsWith(`${CONTROL_PATH}/`)) return controls(request, from);
      if (`${pathname}/`.startsWith(`${CONSOLE_PATH}/`)) return operators(request, from);
      // The report has what the key reads: no page of another site may have it, not by rebinding either.
      const isOpen = isReading(request) && !pathname.endsWith('.json');
      const refused = isOpen ? undefined : refuseForeign(request, { ip: from.ip, hosts });
      return refused ?? shop(request, from);
    },
  };
}

type SandboxKeys = Record<keyof ReturnType<Network['describe']>['keys'], string>;

/** In staging the first keys are printed at every start, so all of them are there. */
function complete(keys: Partial<SandboxKeys>): SandboxKeys {
  const { management, publishable, publisher_reporting, integration } = keys;
  if (!management || !publishable || !publisher_reporting || !integration)
    throw new UsageError('This database belongs to a production network. Use another one with --data, or --memory.');
  return { management, publishable, publisher_reporting, integration };
}
