/** What a plan is made for. */
export interface CapacityInput {
  /** Sessions a month. */
  readonly sessions: number;
  /** Events of a session. */
  readonly eventsPerSession: number;
  /** Whole months that events are kept. */
  readonly keepMonths: number;
}

/** What it takes to run a network. */
export interface CapacityPlan {
  readonly perSecondAtPeak: { readonly sessions: number; readonly events: number };
  /** plain: one PostgreSQL; citus: a cluster of several nodes. */
  readonly database: 'plain' | 'citus';
  /** Cores of 60 % use at the peak. */
  readonly cores: { readonly processes: number; readonly database: number };
  /** PostgreSQL servers; of a cluster, the workers and the coordinator. */
  readonly nodes: number;
  /** The kept events, and a year of what stays. */
  readonly diskTerabytes: number;
  /** What stays of a month once its events are detached. */
  readonly growthTerabytesAMonth: number;
  readonly walMegabytesPerSecondAtPeak: number;
  /** The most connections to each PostgreSQL server: `max_connections` must be larger. */
  readonly connectionsPerNode: number;
}

const SECONDS_A_MONTH = 30 * 86_400;
/** The busiest hours against the mean. */
const PEAK = 3;
const USE = 0.6;
/** Microseconds of CPU. Of a cluster, the sum of its nodes. */
export const CPU_US = {
  session: { process: 1_200, plain: 250, citus: 1_300 },
  event: { process: 100, plain: 60, citus: 185 },
} as const;
/** Bytes. A partition holds the events; a session with ten offers and what counts once stay. */
const BYTES = { session: 2_050, event: 620, counted: 140 } as const;
/** The write-ahead log against the rows. */
const WAL = 2;
/** One server: what a machine of this size does without a second. */
const LARGEST_SERVER = { cores: 16, terabytes: 8 } as const;
/** A node of a cluster. */
const NODE = { cores: 8, terabytes: 3 } as const;

/** Computes what a network needs, with the costs of docs/operators/scale.md. `connectionsFor` says how many a process opens to each of so many nodes. */
export function planCapacity(
  { sessions, eventsPerSession, keepMonths }: CapacityInput,
  connectionsFor: (nodes: number) => number,
): CapacityPlan {
  const rate = (sessions / SECONDS_A_MONTH) * PEAK;
  const perSecondAtPeak = { sessions: rate, events: rate * eventsPerSession };
  const coresFor = (kind: 'process' | 'plain' | 'citus'): number =>
    Math.ceil(
      (perSecondAtPeak.sessions * CPU_US.session[kind] + perSecondAtPeak.events * CPU_US.event[kind]) / 1e6 / USE,
    );
  const staying = BYTES.session + eventsPerSession * BYTES.counted;
  const bytes = staying + eventsPerSession * BYTES.event;
  const growthTerabytesAMonth = (sessions * staying) / 1e12;
  // The current month is there as well.
  const diskTerabytes =
    (sessions * eventsPerSession * BYTES.event * (keepMonths + 1)) / 1e12 + 12 * growthTerabytesAMonth;
  const fitsOne = coresFor('plain') <= LARGEST_SERVER.cores && diskTerabytes <= LARGEST_SERVER.terabytes;
  const database = fitsOne ? 'plain' : 'citus';
  const cores = { processes: coresFor('process'), database: coresFor(database) };
  const workers = Math.max(2, Math.ceil(cores.database / NODE.cores), Math.ceil(diskTerabytes / NODE.terabytes - 1e-9));
  const nodes = fitsOne ? 1 : workers + 1;
  // A process uses one core. Each connection to another node may open one to this.
  const connectionsPerNode = cores.processes * connectionsFor(nodes) * nodes;
  return {
    perSecondAtPeak,
    database,
    cores,
    nodes,
    diskTerabytes,
    growthTerabytesAMonth,
    walMegabytesPerSecondAtPeak: (rate * bytes * WAL) / 1e6,
    connectionsPerNode,
  };
}
