// npm run bench [-- name …]: figures from this machine, next to a peer or a floor measured in the same run.
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';
import { build, install } from '../../tools/prepare.mjs';

const folder = fileURLToPath(new URL('.', import.meta.url));
const names = readdirSync(folder)
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.slice(0, -3))
  .sort();
const [name = 'size', ...rest] = process.argv.slice(2);
if (!names.includes(name)) {
  console.error(`There is no bench '${name}'. There are: ${names.join(', ')}.`);
  process.exit(2);
}
await install();
build();
const { module } = await runnerImport(`${folder}${name}.ts`);
await module.run(rest);
process.exit();
