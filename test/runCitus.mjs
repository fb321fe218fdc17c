// npm run test:citus -- URL…: the network's suite and scenes on a citus cluster that you have: the URLs of its coordinator
// and of two workers or more, as its nodes reach each other. The role must be allowed to create databases and extensions;
// the tests create their own databases, and drop them. Five background workers of each node must be free.
import { install, run } from '../tools/prepare.mjs';

const nodes = process.argv.slice(2);
if (nodes.length < 3 || !nodes.every((node) => URL.canParse(node))) {
  console.error(
    'Give the URLs of the coordinator and of at least two workers: npm run test:citus -- postgresql://… postgresql://… postgresql://…',
  );
  process.exit(2);
}
await install();
Object.assign(process.env, { OFFERLET_TEST_POSTGRES: '1', OFFERLET_TEST_CITUS: nodes.join(' ') });
// Left out: tests that stop the processes of their own server, and tests of the embedded database alone.
run(
  'npx',
  'vitest',
  'run',
  'test/network',
  '--exclude',
  '**/{frozenServer,lostConnection,unusable,freshDatabase,kill,lockLost}.test.ts',
  '--no-file-parallelism',
);
