// `offerlet` from its source, as a process that can be killed.
import { runnerImport } from 'vite';

await runnerImport(new URL('../../src/cli.ts', import.meta.url).pathname);
