import type { Environment } from '../wire/keys.ts';
import { channelRoutes } from './channel/routes.ts';
import type { Route } from './context.ts';
import { healthRoutes } from './health.ts';
import { eventRoutes } from './ingest/routes.ts';
import { pageRoutes } from './pages/routes.ts';
import { recommendationRoutes } from './recommendations/routes.ts';
import { reportingRoutes } from './reporting/routes.ts';
import { sandboxRoutes } from './sandbox/routes.ts';

/** Every route of a network; the controls are in staging only. */
export function networkRoutes(environment: Environment): readonly Route[] {
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
