// A process that locks a directory on command: commands come in, JSON lines go out.
import { createInterface } from 'node:readline';

const [module, directory] = process.argv.slice(2);
const { lockDirectory } = await import(module);
const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
let lock;

say({ ready: true });
for await (const command of createInterface({ input: process.stdin })) {
  if (command === 'release') {
    await lock.release();
    say({ released: true });
    continue;
  }
  if (command === 'check') {
    try {
      lock.check();
      say({ owns: true });
    } catch {
      say({ owns: false });
    }
    continue;
  }
  if (command.startsWith('block')) {
    say({ blocking: true });
    // Later, so that the line is written.
    await new Promise((resolve) => setTimeout(resolve, 50));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(command.split(' ')[1]));
    continue;
  }
  // `take 1764000000000`: at that time exactly, so that two contenders start together.
  const at = Number(command.split(' ')[1] ?? 0);
  while (Date.now() < at);
  try {
    lock = await lockDirectory(directory, { name: 'test', say: (line) => say({ waiting: line }) });
    void lock.lost.then((error) => say({ lost: error.message }));
    say({ taken: true });
  } catch (error) {
    say({ refused: error.message });
  }
}
