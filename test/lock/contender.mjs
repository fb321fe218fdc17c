// A process that locks a directory when it is told to: `take` and `release` come in, JSON lines go out.
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
