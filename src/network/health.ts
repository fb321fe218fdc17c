import { readFileSync } from 'node:fs';
import type { NetworkRoute } from './context.ts';

/** GET /health: whether the network works, its environment, and which part of its database is away. No key required. */
export function healthRoutes(): readonly NetworkRoute[] {
  const version = packageVersion();
  return [
    {
      methods: ['GET', 'HEAD'],
      pattern: '/health',
      surface: 'page',
      async handler(_request, context) {
        await context.db.hot('SELECT 1 AS alive', [], { isAnywhere: true });
        const degraded = await context.db.findDegraded();
        const { environment } = context;
        if (degraded.length === 0) return Response.json({ status: 'ok', environment, version });
        return Response.json({ status: 'degraded', environment, version, degraded });
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
