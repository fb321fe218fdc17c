import { readFileSync } from 'node:fs';

/** Returns a file of the installed package, such as `package.json`; undefined when it is not there. */
export function readInstalled(path: string): string | undefined {
  try {
    return readFileSync(new URL(import.meta.resolve(`offerlet/${path}`)), 'utf8');
  } catch {
    return undefined;
  }
}

/** Returns the version of the installed package. */
export function installedVersion(): string {
  const { version } = JSON.parse(readInstalled('package.json') ?? '{}') as { version?: string };
  return version ?? 'unknown';
}
