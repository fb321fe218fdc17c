import type { ClientBase } from 'pg';

/** Milliseconds for which a publisher is taken to be where it was: after it has moved, its statements are passed on as long. */
const KEEP_MS = 60_000;
/** The most publishers that are remembered; above that it starts over. */
const MAX_ENTRIES = 100_000;

/** Where a distributed database stores each publisher. */
export interface Placements {
  /**
   * The group of nodes that holds a publisher, where that is known. Where it is not, it is asked for in the background: any
   * node serves every publisher, and passes on what another holds.
   */
  groupOf(publisherId: string): number | undefined;
}

/** Remembers where publishers are. `use` runs work on any connection. */
export function createPlacements(use: (work: (client: ClientBase) => Promise<void>) => Promise<void>): Placements {
  const known = new Map<string, { readonly group: number | undefined; readonly until: number }>();
  const wanted = new Set<string>();
  let isAsking = false;

  async function ask(): Promise<void> {
    isAsking = true;
    const ids = [...wanted];
    wanted.clear();
    // One that cannot be told, as in a database that is not distributed yet, is asked for again as late.
    const found = await readGroups(use, ids).catch(() => new Map<string, number>());
    if (known.size + ids.length > MAX_ENTRIES) known.clear();
    const until = performance.now() + KEEP_MS;
    for (const id of ids) known.set(id, { group: found.get(id), until });
    isAsking = false;
  }

  return {
    groupOf(publisherId) {
      const entry = known.get(publisherId);
      if (!entry || entry.until < performance.now()) {
        wanted.add(publisherId);
        if (!isAsking) void ask();
      }
      return entry?.group;
    },
  };
}

async function readGroups(
  use: (work: (client: ClientBase) => Promise<void>) => Promise<void>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const groups = new Map<string, number>();
  await use(async (client) => {
    const { rows } = await client.query<{ id: string; group: number }>(
      `SELECT id::text, groupid AS group FROM unnest($1::uuid[]) id
       JOIN pg_dist_placement ON shardid = get_shard_id_for_distribution_column('sessions', id)`,
      [ids],
    );
    for (const { id, group } of rows) groups.set(id, group);
  });
  return groups;
}
