import type { Route, RouteParams } from '../context.ts';

/** The routes of a path, one for each set of methods, with the values of its `{names}`. */
export interface Match {
  readonly routes: readonly [Route, ...Route[]];
  readonly params: RouteParams;
}

/** Finds the routes of a path: exact paths first, then patterns in their order. Nothing is normalised: `//` and `/x` for `/x/` find nothing. */
export function routeTable(routes: readonly Route[]): (path: string) => Match | undefined {
  const byPattern = new Map<string, [Route, ...Route[]]>();
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

/** The route that answers a method, or the methods that the path does answer. */
export function routeFor(
  { routes }: Match,
  method: string,
): { readonly route: Route } | { readonly allow: readonly string[] } {
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
    // No id and no name holds U+0000, and no database takes it.
    return params.some(([, value]) => value.includes('\0')) ? undefined : Object.fromEntries(params);
  } catch {
    return undefined;
  }
}
