import type { NetworkRoute } from './context.ts';
import { readVersion } from './readVersion.ts';

/** GET /health: whether the network works, its environment, and which part of its database is away. No key required. */
export function healthRoutes(version: string = readVersion()): readonly NetworkRoute[] {
  return [
    {
      methods: ['GET', 'HEAD'],
      pattern: '/health',
      surface: 'page',
      async handler(_request, context) {
        await context.db.query('SELECT 1 AS alive');
        const degraded = await context.db.findDegraded();
        const { environment } = context;
        if (degraded.length === 0) return Response.json({ status: 'ok', environment, version });
        return Response.json({ status: 'degraded', environment, version, degraded });
      },
    },
  ];
}
