// The whole line on a very bad day, for long:  npm run bench -- line [events] [kills]
import { playRush, reported } from '../line/whole/shoppers.ts';
import { seeded } from '../fixtures/random.ts';
import { startLine } from '../line/whole/wholeLine.ts';

const FAULTS = { lost: 0.1, failed: 0.05, partial: 0.03 };
/** Shops beside each other, each with its own queue: one queue sends one batch at a time. */
const SHOPS = 8;

/** Sends 100,000 events through page, relay and network while everything fails, and compares the report with the truth. */
export async function run(args: string[]): Promise<void> {
  const [events = 100_000, kills = 50] = args.map(Number);
  const seed = Number(process.env.OFFERLET_SEED ?? Date.now() % 1_000_000);
  const random = seeded(seed);
  const line = await startLine({ faults: FAULTS, random });
  const began = Date.now();
  const seconds = (): string => `${((Date.now() - began) / 1_000).toFixed(0)} s`;
  console.log(
    `${events.toLocaleString('en')} events of ${SHOPS} shops, ${kills} killed browsers; each of two hops loses 10 % of the answers, fails 5 % and half accepts 3 % of the batches (seed ${seed})`,
  );
  const { tracked, left, dropped } = await playRush(line, {
    events,
    perVisit: 120,
    shops: SHOPS,
    tabs: 1,
    kills,
    killAfter: () => random() * 300,
    onPart({ tracked, left, isKilled, errors }) {
      const what = isKilled ? `killed with ${left} on its disk` : 'closed, its disk empty';
      console.log(`${seconds().padStart(6)}  ${tracked.toLocaleString('en').padStart(8)} tracked, browser ${what}`);
      for (const error of errors) console.log(`        ${error}`);
    },
  });
  const counted = await reported(line);
  await line.close();
  console.log(
    `\nDelivered in ${seconds()}; killed with events on the disk: ${left.filter((count) => count > 0).length} times`,
  );
  for (const [n, hop] of line.hops.entries())
    console.log(
      `${n === 0 ? 'page → relay   ' : 'relay → network'}  ${hop.batches} batches: ${hop.lost} answers lost, ${hop.failed} × 503, ${hop.partial} × 207`,
    );
  console.log(`\n| metric | tracked | reported | difference |\n| --- | --- | --- | --- |`);
  let difference = 0;
  for (const [name, count] of Object.entries(counted)) {
    const truth = tracked[name as keyof typeof counted];
    difference += Math.abs(count - truth);
    console.log(`| ${name} | ${truth} | ${count} | ${count - truth} |`);
  }
  console.log(
    `\n${tracked.events.toLocaleString('en')} events tracked, ${dropped} dropped; report − truth: ${difference}`,
  );
  if (difference || dropped) process.exitCode = 1;
}
