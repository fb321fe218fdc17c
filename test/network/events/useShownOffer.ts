import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { DATABASE_KINDS } from '../databases.ts';
import { openTestNetwork, type Shown, type TestNetwork } from '../testNetwork.ts';

/** The network that the tests of a file share. */
export let world: TestNetwork;
/** A session of this test that was shown one offer. */
export let session: Shown;

/** Opens a network for a suite. Before each test it is empty but for one offer and one session, at 10:30 on 20 November 2025. */
export function useShownOffer(kind: (typeof DATABASE_KINDS)[number]): void {
  beforeAll(async () => {
    world = await openTestNetwork(kind);
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    await world.control('POST', '/sandbox/reset', { seed: 'empty' });
    await world.control('POST', '/sandbox/clock', { now: '2025-11-20T10:30:00Z' });
    await world.offer();
    await openSession();
  });
}

/** Begins another session, now or at an earlier time; `session` is that one from then on. */
export async function openSession(earlier?: string): Promise<void> {
  session = await (earlier === undefined ? world.session() : world.earlierSession(earlier));
}
