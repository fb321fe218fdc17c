import type { Environment } from '../wire/keys.ts';
import { channelRoutes } from './channel/routes.ts';
import type { NetworkRoute } from './context.ts';
import { healthRoutes } from './healthRoutes.ts';
import type { Surface } from './http/route.ts';
import { eventRoutes } from './ingest/routes.ts';
import { pageRoutes } from './pages/routes.ts';
import { recommendationRoutes } from './recommendations/routes.ts';
import { reportingRoutes } from './reporting/routes.ts';
import { sandboxRoutes } from './controls/routes.ts';

/** All routes of a network; only staging has the controls. */
export function networkRoutes(environment: Environment): readonly NetworkRoute[] {
  const routes = [
    ...recommendationRoutes,
    ...eventRoutes,
    ...channelRoutes,
    ...reportingRoutes,
    ...pageRoutes,
    ...healthRoutes(),
  ];
  return environment === 'staging' ? [...routes, ...sandboxRoutes] : routes;
}

/** The surface of a path that no route matches, which decides the shape of its 404. */
export function surfaceOf(path: string): Surface {
  if (path.startsWith('/api/') || path.startsWith('/adnet/reporting/') || path.startsWith('/analysis/'))
    return 'reporting';
  if (path.startsWith('/adnet/')) return 'channel';
  return path.startsWith('/sandbox/') ? 'sandbox' : 'partner';
}
