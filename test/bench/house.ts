// npm run bench -- house [--tighten]: what the project weighs, beside its limits; --tighten lowers the limits to today's figures.
import { writeFileSync } from 'node:fs';
import { FILE, measureHouse, readBudget } from '../budget/house.ts';

/** Prints each figure with its limit, and the aim where there is one. Seconds are those of the last complete `npm test` here. */
export async function run([flag]: readonly string[]): Promise<void> {
  const budget = readBudget();
  const measured = await measureHouse();
  for (const kind of ['bytes', 'counts', 'seconds'] as const) {
    console.log(`\n${kind.padEnd(50)}${['today', 'limit', 'aim'].map((title) => title.padStart(8)).join('')}`);
    for (const what of new Set([...Object.keys(budget.figures[kind]), ...Object.keys(measured[kind])])) {
      const { limit, aim } = budget.figures[kind][what] ?? {};
      const today = measured[kind][what];
      const cells = [today, limit, aim].map((cell) => String(cell ?? '').padStart(8)).join('');
      console.log(`${what.padEnd(50)}${cells}${(today ?? 0) > (limit ?? Infinity) ? '  ✗' : ''}`);
      if (flag === '--tighten' && today !== undefined && today < (limit ?? Infinity))
        budget.figures[kind][what] = { limit: today, ...(aim === undefined ? {} : { aim }) };
    }
  }
  if (flag === '--tighten') writeFileSync(FILE, `${JSON.stringify(budget, null, 2)}\n`);
}
