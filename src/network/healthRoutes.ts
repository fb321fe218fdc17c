import type { NetworkRoute } from './context.ts';
import { readVersion } from './readVersion.ts';

/** GET /health: whether the network works, and its environment. No key required. */
export function healthRoutes(version: string = readVersion()): readonly NetworkRoute[] {
  return [
    {
      methods: ['GET', 'HEAD'],
      pattern: '/health',
      surface: 'page',
      async handler(_request, context) {
        await context.db.query('SELECT 1 AS alive');
        return Response.json({ status: 'ok', environment: context.environment, version });
      },
    },
  ];
}
