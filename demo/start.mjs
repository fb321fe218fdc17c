// `npm start`: everything on one machine. Its arguments are passed to `offerlet sandbox`.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { build, install } from '../tools/prepare.mjs';

await install();
build();

const cli = fileURLToPath(new URL('../dist/cli.js', import.meta.url));
const sandbox = spawn(process.execPath, [cli, 'sandbox', ...process.argv.slice(2)], { stdio: 'inherit' });
// Ctrl-C reaches both processes. The sandbox closes its servers, and this process ends after it.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => sandbox.kill('SIGTERM'));
sandbox.on('exit', (code) => process.exit(code ?? 1));
