import { readFileSync } from 'node:fs';
import type { NetworkRoute } from './context.ts';

/** GET /health: whether the network works, and its environment. No key required. */
export function healthRoutes(): readonly NetworkRoute[] {
  const version = packageVersion();
  return [
    {
      methods: ['GET', 'HEAD'],
      pattern: '/health',
      surface: 'page',
      async handler(_request, context) {
        await context.db.hot('SELECT 1 AS alive');
        const status = context.db.readOnlyBecause === undefined ? 'ok' : 'read_only';
        return Response.json({ status, environment: context.environment, version });
      },
    },
  ];
}

/** The version of this package, for /health and /sandbox/health. */
export function packageVersion(): string {
  // In two steps, because bundlers copy the file of `new URL('…', import.meta.url)`.
  const here = import.meta.url;
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', here), 'utf8')) as { version: string };
  return version;
}
