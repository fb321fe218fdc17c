import { readFileSync } from 'node:fs';

/** Returns a file of an installed package, such as `package.json`; undefined when it is not there. */
export function readInstalled(path: string, from = 'offerlet'): string | undefined {
  try {
    return readFileSync(new URL(import.meta.resolve(`${from}/${path}`)), 'utf8');
  } catch {
    return undefined;
  }
}

/** Returns the version of an installed package. */
export function installedVersion(from = 'offerlet'): string {
  const { version } = JSON.parse(readInstalled('package.json', from) ?? '{}') as { version?: string };
  return version ?? 'unknown';
}
