import type { Route, RouteParams } from '../context.ts';

/** The route that answers a path, with the values of its `{names}`. */
export interface Match {
  readonly route: Route;
  readonly params: RouteParams;
}

/** Finds the route of a path: exact paths first, then patterns in their order. Nothing is normalised: `//` and `/x` for `/x/` find nothing. */
export function routeTable(routes: readonly Route[]): (path: string) => Match | undefined {
  const exact = new Map<string, Match>();
  const patterns: { route: Route; expression: RegExp }[] = [];
  for (const route of routes) {
    if (route.pattern.includes('{')) patterns.push({ route, expression: compile(route.pattern) });
    else if (!exact.has(route.pattern)) exact.set(route.pattern, { route, params: {} });
  }
  return (path) => {
    const found = exact.get(path);
    if (found) return found;
    for (const { route, expression } of patterns) {
      const match = expression.exec(path);
      const params = match && decode(match.groups ?? {});
      if (params) return { route, params };
    }
    return undefined;
  };
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
    return Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)]));
  } catch {
    return undefined;
  }
}
