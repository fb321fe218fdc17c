/** Where the model runs. */
export interface ModelPlace {
  /** CPU of all nodes per event, in microseconds, as one worker costs. */
  readonly eventUs: number;
  /** Nodes that hold publishers. */
  readonly nodes: number;
  readonly lost: number;
  readonly coresPerNode: number;
  /** Milliseconds between two machines, one way. */
  readonly latencyMs: number;
}

/** What it predicts. */
export interface Prediction {
  /** Events per second with every core of the nodes at 60 %. */
  readonly eventsPerSecond: number;
  /** CPU of all nodes per event. */
  readonly databaseUs: number;
  /** Milliseconds of a batch that waits for nothing but the network. */
  readonly batchMs: number;
  /** The share of publishers that get a 503. */
  readonly unserved: number;
}

const USE = 0.6;
/** Round trips of a batch: what all requests read, the events, their counts, the COMMIT. */
const ROUND_TRIPS = 4;

/**
 * Predicts a cluster whose publishers are spread evenly, all of them small, and whose processes connect to every node. Each event
 * is stored by the node that holds its publisher, and what all requests read is on every node: nodes share nothing on this
 * path. So an event costs the same with any number of them, and throughput is their sum. What the model leaves out: one publisher
 * that is larger than a node, changes of offers and budgets, which every node takes part in, and disks.
 */
export function predictCluster({ eventUs, nodes, lost, coresPerNode, latencyMs }: ModelPlace): Prediction {
  return {
    eventsPerSecond: ((nodes - lost) * coresPerNode * USE * 1e6) / eventUs,
    databaseUs: eventUs,
    batchMs: ROUND_TRIPS * 2 * latencyMs,
    unserved: lost / nodes,
  };
}
