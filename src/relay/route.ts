/** What a path asks for. */
export type Route = '/recommendations' | '/events' | '/events/batch' | '/health';

const ROUTES: readonly Route[] = ['/recommendations', '/events', '/events/batch', '/health'];

/** The route of a path, compared letter by letter: nothing is decoded, nothing is taken from the query. */
export function routeOf(pathname: string, basePath: string): Route | undefined {
  return ROUTES.find((route) => pathname === basePath + route);
}

/** The methods that a route takes, for the `Allow` header. */
export function methodsOf(route: Route): string {
  return route === '/health' ? 'GET, HEAD, OPTIONS' : 'POST, OPTIONS';
}
