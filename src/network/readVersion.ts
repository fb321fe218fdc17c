import { readFileSync } from 'node:fs';

/** The version of this package, as /health and /sandbox/health say it. */
export function readVersion(): string {
  // In two steps: a bundler would take `new URL('…', import.meta.url)` for a file to copy.
  const here = import.meta.url;
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', here), 'utf8')) as { version: string };
  return version;
}
