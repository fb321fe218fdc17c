import { readFileSync } from 'node:fs';

/** The version of this package, for /health and /sandbox/health. */
export function readVersion(): string {
  // In two steps, because bundlers copy the file of `new URL('…', import.meta.url)`.
  const here = import.meta.url;
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', here), 'utf8')) as { version: string };
  return version;
}
