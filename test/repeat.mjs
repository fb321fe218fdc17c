// Finds tests that fail now and then:  npm run test:repeat -- TIMES [--load PROCESSES] [NAME…]
// Runs all tests of `npm test`, or those in files whose path contains a name, that often, beside so many busy processes, and
// prints for each test that failed: how often, and at which load.
import { spawn } from 'node:child_process';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { build, install } from '../tools/prepare.mjs';
import { processorSeconds, runSuites, USUAL } from './suites.mjs';

const { values, positionals } = parseArgs({ options: { load: { type: 'string' } }, allowPositionals: true });
const [times, ...names] = positionals;
const load = Number(values.load ?? 0);
if (!(Number(times) > 0) || !(load >= 0)) {
  console.error('Usage: npm run test:repeat -- TIMES [--load PROCESSES] [NAME…]');
  process.exit(2);
}
await install();
build();

const busy = Array.from({ length: load }, () => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }));
process.on('exit', () => busy.forEach((child) => child.kill('SIGKILL')));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130));

/** Each failed test with the load averages at which it failed, and its last message. */
const failed = new Map();
for (let run = 1; run <= Number(times); run++) {
  const began = processorSeconds();
  const { failures, count } = await runSuites({ ...USUAL, names });
  const at = loadavg()[0].toFixed(1);
  const seconds = Math.round(processorSeconds() - began);
  console.log(
    `\n— Run ${run} of ${times}: ${failures.length} of ${count} failed at load ${at}, ${seconds} processor-seconds.`,
  );
  for (const { file, title, message } of failures) {
    const loads = failed.get(`${file}: ${title}`)?.loads ?? [];
    failed.set(`${file}: ${title}`, { loads: [...loads, at], message });
  }
}
for (const [test, { loads, message }] of [...failed].toSorted(([, a], [, b]) => b.loads.length - a.loads.length))
  console.log(`\n${loads.length} of ${times} times, at load ${loads.join(', ')}: ${test}\n${message}`);
if (failed.size === 0) console.log(`No test failed in ${times} run${times === '1' ? '' : 's'}.`);
process.exit(failed.size === 0 ? 0 : 1);
