import type { NetworkRoute, RouteParams } from './context.ts';

/** The routes of a path, one per set of methods, with the values of its `{names}`. */
export interface RouteMatch {
  readonly routes: readonly [NetworkRoute, ...NetworkRoute[]];
  readonly params: RouteParams;
}

/** Finds the routes of a path: exact paths first, then patterns in order. Paths are not normalized: neither `//` nor a missing final slash matches. */
export function createRouter(routes: readonly NetworkRoute[]): (path: string) => RouteMatch | undefined {
  const byPattern = new Map<string, [NetworkRoute, ...NetworkRoute[]]>();
  for (const route of routes) {
    const found = byPattern.get(route.pattern);
    if (found) found.push(route);
    else byPattern.set(route.pattern, [route]);
  }
  const patterns = [...byPattern].filter(([pattern]) => pattern.includes('{'));
  const expressions = patterns.map(([pattern, routes]) => ({ routes, expression: compile(pattern) }));
  return (path) => {
    const exact = path.includes('{') ? undefined : byPattern.get(path);
    if (exact) return { routes: exact, params: {} };
    for (const { routes, expression } of expressions) {
      const match = expression.exec(path);
      const params = match && decode(match.groups ?? {});
      if (params) return { routes, params };
    }
    return undefined;
  };
}

/** The route for a method, or the methods that the path accepts. */
export function routeFor(
  { routes }: RouteMatch,
  method: string,
): { readonly route: NetworkRoute } | { readonly allow: readonly string[] } {
  const route = routes.find(({ methods }) => methods === '*' || methods.includes(method));
  return route ? { route } : { allow: [...new Set(routes.flatMap(({ methods }) => [...methods]))] };
}

function compile(pattern: string): RegExp {
  const parts = pattern.split(/(\{\w+\})/).map((part) => {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    return name ? `(?<${name}>[^/]+)` : part.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('')}$`);
}

function decode(groups: Readonly<Record<string, string>>): RouteParams | undefined {
  try {
    const params = Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)] as const);
    // No id or name contains U+0000, and PostgreSQL cannot store it.
    return params.some(([, value]) => value.includes('\0')) ? undefined : Object.fromEntries(params);
  } catch {
    return undefined;
  }
}
