import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createOperatorConsole } from 'offerlet-operator';
import {
  createRelay,
  openDedupeFile,
  type DedupeFile,
  type DedupeStore,
  type RelayContext,
  type RelayOptions,
  type RequestInfo,
} from 'offerlet/relay';
import { type Command, type Options, readSettings, type SettingsSource } from '../program/command.ts';
import { UsageError } from '../program/ExitError.ts';
import { createOutput, type Output } from '../program/terminal.ts';
import { fetchText } from '../http/fetchText.ts';
import { isReading, refuseForeign } from '../http/refuseForeign.ts';
import type { Network } from '../network.ts';
import { didYouMean } from '../text/didYouMean.ts';
import { own, parseJson } from '../wire/json.ts';
import { forcedFetch } from '../wire/scenarios/forcedFetch.ts';
import { type Scenario, findScenario, SCENARIOS } from '../wire/scenarios/scenarios.ts';
import { CONTROL_PATH, controlSurface } from './controlSurface.ts';
import {
  dataDirectory,
  serve,
  type Responder,
  startNetwork,
  readControlHosts,
  CONTROL_HOST,
  DATABASE,
  JSON_OUTPUT,
  readDatabaseUrl,
  readWait,
  seedingNote,
  untilStoppedOrLost,
} from './startNetwork.ts';

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
  const place = {
    data: settings.data,
    memory: settings.memory,
    databaseUrl: readDatabaseUrl(settings['database-url'], { argv: source.argv, out }),
  };
  out.say(`Starting the sandbox network.${seedingNote(place)}`);
  const isByNpm = source.env['npm_lifecycle_event'] === 'start';
  const optionFor = (option: string): string => (isByNpm ? `npm start -- ${option}` : option);
  const hosts = readControlHosts(settings['control-host']);
  const front = openFront(hosts);
  // Listens first: a port in use is reported at once, and early requests wait.
  const portOption = optionFor('--port 4200');
  const server = await serve(front.respond, { port: settings.port, portOption }).catch(async (error: unknown) => {
    const url = `http://127.0.0.1:${settings.port}`;
    if (!(error instanceof UsageError) || !(await isSandbox(url))) throw error;
    const other = optionFor('--port 4200 --network-port 4700 --memory');
    throw new UsageError(`The sandbox runs already: open ${url}. For another one beside it, use ${other}.`);
  });
  const loading = loadShop();
  loading.catch(() => undefined); // reported where it is awaited
  const { network, server: networkServer } = await startNetwork({
    port: settings['network-port'],
    portOption: optionFor('--network-port 4700'),
    ...place,
    wait: readWait(settings.wait),
    environment: 'staging',
    controlHosts: hosts,
    seed: 'demo',
    log: settings.json ? undefined : () => undefined,
  });
  const keys = complete(network.describe().keys);
  const { createShop, languageOf, folders } = await loading;
  const accepted = await openAccepted(dataDirectory(place), out);
  const { url } = networkServer;
  const relay = createSandboxRelay({
    apiKey: keys.integration,
    network: url,
    scenario,
    context: languageOf,
    readClock: () => network.now(),
    dedupe: accepted,
    timeouts: scenario ? undefined : TIMEOUTS,
  });
  front.open({
    relay,
    controls: controlSurface({ network, url, hosts }),
    operators: createOperatorConsole({
      networkUrl: url,
      apiKey: keys.management,
      hosts,
      basePath: CONSOLE_PATH,
      refresh: REFRESH_MS,
      allowFrame: true,
    }),
    shop: createShop({
      network: url,
      apiKey: keys.integration,
      dedupe: accepted,
      timeouts: TIMEOUTS,
      console: CONSOLE_PATH,
      publisher: network.describe().publisher.publisher_remote_id,
      folders,
    }),
  });
  const ending = untilStoppedOrLost(network, [server, networkServer], [accepted]);
  out.json({
    shop: server.url,
    console: server.url + CONSOLE_PATH,
    relay: server.url + RELAY_PATH,
    network: networkServer.url,
    keys,
  });
  out.say(
    `Network   ${networkServer.url}\nRelay     ${server.url}${RELAY_PATH}\nConsole   ${server.url}${CONSOLE_PATH}\nControls  ${server.url}${CONTROL_PATH}/health\nPress Ctrl-C to stop.\n`,
  );
  if (scenario) out.say(`Scenario  ${scenario.title}.\n          ${scenario.mustSee}\n`);
  out.say(`Open ${server.url}${scenarioQuery(scenario)}`);
  await ending;
}

/** Whether a sandbox responds at a URL. */
async function isSandbox(url: string): Promise<boolean> {
  try {
    const { text } = await fetchText(`${url}${CONTROL_PATH}/health`, {}, { ms: HEALTH_MS, maxBytes: HEALTH_BYTES });
    return own(parseJson(text), 'environment') === 'staging';
  } catch {
    return false;
  }
}

/** Milliseconds for another sandbox to say that it is one. */
const HEALTH_MS = 2_000;
const HEALTH_BYTES = 16 * 1024;

/** The events that the network accepted, and the ledger: beside the network's data, or gone when the sandbox stops. */
async function openAccepted(data: string | undefined, out: Output): Promise<DedupeFile> {
  const directory = data === undefined ? await mkdtemp(join(tmpdir(), 'offerlet-sandbox-')) : join(data, 'relay');
  const store = await openDedupeFile(directory, { onLog: ({ message }) => out.log(message) });
  return {
    ...store,
    async close() {
      await store.close();
      if (data === undefined) await rm(directory, { recursive: true, force: true });
    },
  };
}

interface Behind {
  relay: Responder;
  controls: Responder;
  operators: Responder;
  shop: Responder;
}

/** One origin for page, relay, controls and console. Earlier requests wait until all are ready. */
function openFront(hosts: readonly string[]): { respond: Responder; open(behind: Behind): void } {
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
      const refused = isReading(request) ? undefined : refuseForeign(request, { ip: from.ip, hosts });
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

/** Where the shop's backend mounts its relay. */
const RELAY_PATH = '/offers';
/** A laptop that is busy is no outage. The page itself gives up after four seconds. */
const TIMEOUTS = { recommendations: 30_000 };

/** The network behind the sandbox's relay, and what goes wrong between the two. */
interface SandboxRelayOptions extends Pick<RelayOptions, 'apiKey' | 'context' | 'dedupe' | 'timeouts'> {
  /** The network's URL. */
  readonly network: string;
  readonly scenario?: Scenario | undefined;
  /** The network's time, which a test may have stopped. By default it is this machine's. */
  readonly readClock?: (() => Promise<Date>) | undefined;
}

/**
 * Creates the relay of the sandbox. A scenario is played between it and the network, and its clock is the network's: the
 * times of a page whose clock is stopped like that of the network are not corrected.
 */
export function createSandboxRelay({ network, scenario, readClock, ...options }: SandboxRelayOptions) {
  let time: number | undefined;
  const relay = createRelay({
    ...options,
    networkUrl: network,
    version: '1.0.0',
    basePath: RELAY_PATH,
    sandbox: true,
    forwardEventIds: true,
    fetch: scenario && forcedFetch(globalThis.fetch, scenario),
    now: () => time ?? Date.now(),
  });
  return async (request: Request, info?: RequestInfo): Promise<Response> => {
    // A network that is down has no clock.
    time = (await readClock?.().catch(() => undefined))?.getTime();
    return relay(request, info);
  };
}

/** Where the operators' console is mounted, with the channel's own key. */
const CONSOLE_PATH = '/console';
/** Milliseconds between two reads of the report on screen, so that a click in the shop shows up at once. */
const REFRESH_MS = 800;

/** What the demo shop's backend needs: the network, its key, which stays on the server, and where the console shows it. */
interface ShopOptions {
  network: string;
  apiKey: string;
  console: string;
  publisher: string;
  /** Accepted events, with the ledger of all relays of the shop. */
  dedupe: DedupeStore;
  timeouts: RelayOptions['timeouts'];
  /** The folders of `offerlet.js` and of the shop's own scripts. */
  folders: { widget: string; shop: string };
}

interface ShopModule {
  createShop(options: ShopOptions): Responder;
  /** What the shop knows about the page that requests offers, for the relay. */
  languageOf(request: Request): RelayContext;
}

/** Loads the demo shop, which is built from `demo/`: like any merchant it uses the published entries only. */
async function loadShop(): Promise<ShopModule & Pick<ShopOptions, 'folders'>> {
  const here = import.meta.url; // a bundler would treat `new URL('…', import.meta.url)` as a file to copy
  const module = new URL('../demo/shop.js', here);
  if (!existsSync(module)) throw new Error('The demo shop is not built. Run "npm run build".');
  const folders = { widget: folderOf(import.meta.resolve('offerlet/offerlet.js')), shop: folderOf(module.href) };
  return { ...((await import(module.href)) as ShopModule), folders };
}

function folderOf(url: string): string {
  return fileURLToPath(new URL('.', url));
}

/** Returns the scenario of `--scenario NAME`. Throws a `UsageError` that lists the known ones. */
export function readScenario(name: string | undefined): Scenario | undefined {
  const scenario = findScenario(name);
  if (name === undefined || scenario) return scenario;
  const known = SCENARIOS.map((one) => one.name);
  throw new UsageError(
    `--scenario is not a known scenario: "${name}".${didYouMean(name, known)} Use one of ${known.join(', ')}; --scenarios describes them.`,
  );
}

/** Prints every scenario and what a tester must see in it. */
export function listScenarios(out: Output): void {
  out.json({ scenarios: SCENARIOS.map(({ name, title, mustSee }) => ({ name, title, must_see: mustSee })) });
  for (const { name, title, mustSee } of SCENARIOS) out.say(`${name}\n    ${title}.\n    ${mustSee}`);
}

/** Returns the path and query with which the inspector forces what only a page can do. */
export function scenarioQuery(scenario: Scenario | undefined): string {
  return scenario?.page ? `/?offerlet=inspect&offerlet-scenario=${scenario.name}` : '';
}
