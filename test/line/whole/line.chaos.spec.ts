// Events from a page to the report while everything fails occasionally.
import { expect, test } from '@playwright/test';
import { playRush, reported } from './shoppers.ts';
import { seeded } from '../../fixtures/random.ts';
import { startLine } from './wholeLine.ts';

test('2,000 events, two tabs, three killed browsers, lost responses, 5xx and 207: the report equals what was tracked', async () => {
  const seed = Number(process.env.OFFERLET_SEED ?? Date.now() % 1_000_000);
  console.log(`seed ${seed}`); // OFFERLET_SEED=… plays the same faults again
  const random = seeded(seed);
  const line = await startLine({ faults: { lost: 0.1, failed: 0.05, partial: 0.03 }, random });
  try {
    const { tracked, left, dropped } = await playRush(line, {
      events: 2_000,
      perVisit: 100,
      shops: 1,
      tabs: 2,
      kills: 3,
      killAfter: () => random() * 300,
    });
    expect(tracked.events).toBe(2_000);
    expect(dropped).toBe(0);
    // The faults did happen: the browser was killed with queued events, and each hop lost responses.
    expect(Math.max(...left)).toBeGreaterThan(20);
    for (const hop of line.hops) expect(hop.lost + hop.failed + hop.partial).toBeGreaterThan(0);
    const { events: _, ...counts } = tracked;
    expect(await reported(line)).toEqual(counts);
  } finally {
    await line.close();
  }
});
