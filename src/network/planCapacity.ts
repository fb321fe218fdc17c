/** What a plan is made for. */
export interface CapacityInput {
  /** Sessions a month. */
  readonly sessions: number;
  /** Events of a session. */
  readonly eventsPerSession: number;
  /** Conversions of a thousand sessions, all of offers with a budget. */
  readonly conversionsPerThousand: number;
  /** Reports a month. */
  readonly reports: number;
  /** Whole months that events are kept. */
  readonly keepMonths: number;
}

/** What it takes to run a network. */
export interface CapacityPlan {
  readonly perSecondAtPeak: Readonly<Record<'sessions' | 'events' | 'conversions' | 'reports', number>>;
  /** plain: one PostgreSQL; citus: a cluster of several nodes. */
  readonly database: 'plain' | 'citus';
  /** Cores of 60 % use at the peak. */
  readonly cores: { readonly processes: number; readonly database: number };
  /** Milliseconds of CPU, of a process and the database together. */
  readonly cpuMs: { readonly conversion: number; readonly report: number };
  /** The most conversions that spend the same budget in a second. */
  readonly oneBudgetPerSecond: number;
  /** PostgreSQL servers; of a cluster, the workers and the coordinator. Infinite if no number of them is enough. */
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
const CPU_US = {
  session: { process: 1_200, plain: 300, citus: 1_200 },
  event: { process: 100, plain: 60, citus: 170 },
  conversion: { process: 4_000, plain: 2_200, citus: 4_800 },
  report: { process: 5_000, plain: 100_000, citus: 100_000 },
} as const;
/** What a conversion costs each node of a cluster besides: budgets are on all of them. */
const CONVERSION_NODE_US = 1_100;
/** Conversions a second that spend the same budget: each waits until the one before is committed. */
const ONE_BUDGET = { plain: 250, citus: 70 } as const;
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
  { sessions, eventsPerSession, conversionsPerThousand, reports, keepMonths }: CapacityInput,
  connectionsFor: (nodes: number) => number,
): CapacityPlan {
  const rate = (sessions / SECONDS_A_MONTH) * PEAK;
  const perSecondAtPeak = {
    sessions: rate,
    events: rate * eventsPerSession,
    conversions: (rate * conversionsPerThousand) / 1_000,
    reports: (reports / SECONDS_A_MONTH) * PEAK,
  };
  const coresFor = (kind: 'process' | 'plain' | 'citus', nodes = 0): number => {
    const perSecond = perSecondAtPeak;
    const us =
      perSecond.sessions * CPU_US.session[kind] +
      perSecond.events * CPU_US.event[kind] +
      perSecond.conversions * (CPU_US.conversion[kind] + nodes * CONVERSION_NODE_US) +
      perSecond.reports * CPU_US.report[kind];
    return us / 1e6 / USE;
  };
  const staying = BYTES.session + eventsPerSession * BYTES.counted;
  const bytes = staying + eventsPerSession * BYTES.event;
  const growthTerabytesAMonth = (sessions * staying) / 1e12;
  // The current month is there as well.
  const diskTerabytes =
    (sessions * eventsPerSession * BYTES.event * (keepMonths + 1)) / 1e12 + 12 * growthTerabytesAMonth;
  const fitsOne = Math.ceil(coresFor('plain')) <= LARGEST_SERVER.cores && diskTerabytes <= LARGEST_SERVER.terabytes;
  const database = fitsOne ? 'plain' : 'citus';
  // Each worker brings its cores, and takes part in every conversion. The coordinator takes part as well.
  const left = NODE.cores - (coresFor('citus', 1) - coresFor('citus'));
  const busy = left > 0 ? coresFor('citus', 1) / left : Number.POSITIVE_INFINITY;
  const workers = Math.max(2, Math.ceil(busy), Math.ceil(diskTerabytes / NODE.terabytes - 1e-9));
  const nodes = fitsOne ? 1 : workers + 1;
  const cores = {
    processes: Math.ceil(coresFor('process')),
    database: Math.ceil(fitsOne ? coresFor('plain') : coresFor('citus', nodes)),
  };
  // A process uses one core. Each connection to another node may open one to this.
  const connectionsPerNode = cores.processes * connectionsFor(nodes) * nodes;
  return {
    perSecondAtPeak,
    database,
    cores,
    cpuMs: {
      conversion: milliseconds('conversion', database) + (fitsOne ? 0 : (nodes * CONVERSION_NODE_US) / 1_000),
      report: milliseconds('report', database),
    },
    oneBudgetPerSecond: ONE_BUDGET[database],
    nodes,
    diskTerabytes,
    growthTerabytesAMonth,
    walMegabytesPerSecondAtPeak: (rate * bytes * WAL) / 1e6,
    connectionsPerNode,
  };
}

/** What one costs, without what each node of a cluster does besides. */
function milliseconds(kind: 'conversion' | 'report', database: CapacityPlan['database']): number {
  return (CPU_US[kind].process + CPU_US[kind][database]) / 1_000;
}
