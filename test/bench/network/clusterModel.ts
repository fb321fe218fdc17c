/** What one statement of a batch costs: microseconds of CPU on the node that holds its publisher. */
export interface ModelCosts {
  /** Per event, of the node that holds the publisher. */
  readonly worker: number;
  /** Per event, of the node that a process happens to be connected to, if it is another: it plans the statement and passes it on. */
  readonly passedOn: number;
}

/** Where the model runs. */
export interface ModelPlace {
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
  /** Milliseconds of a batch that waits for nothing but the network: its round trips, and those from node to node. */
  readonly batchMs: number;
  /** The share of publishers that get a 503. */
  readonly unserved: number;
}

const USE = 0.6;
/** Round trips of a batch: what all requests read, the events, their counts, the COMMIT. */
const ROUND_TRIPS = 4;

/**
 * Predicts a cluster whose publishers are spread evenly, all of them small, and whose processes connect to every node in turn.
 * A statement then reaches the right node directly with a probability of 1 / (nodes + 1), because the coordinator takes its turn;
 * otherwise it is passed on. Nothing is shared
 * between nodes on this path, so throughput is their sum. What the model leaves out: one publisher that is larger than a node,
 * changes of offers and budgets, which every node takes part in, and disks.
 */
export function predictCluster(costs: ModelCosts, { nodes, lost, coresPerNode, latencyMs }: ModelPlace): Prediction {
  const serving = nodes - lost;
  // The coordinator holds no publisher, and takes its turn.
  const elsewhere = serving / (serving + 1);
  const databaseUs = costs.worker + costs.passedOn * elsewhere;
  return {
    eventsPerSecond: (serving * coresPerNode * USE * 1e6) / databaseUs,
    databaseUs,
    batchMs: ROUND_TRIPS * 2 * latencyMs * (1 + elsewhere),
    unserved: lost / nodes,
  };
}
