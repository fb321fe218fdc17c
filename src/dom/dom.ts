/**
 * The page's document, read past DOM clobbering: with `<img name="body">` on a page, `document.body` is that image. Here
 * every property comes from the prototype. On a server all of them are undefined.
 */
export const dom: Document = /* @__PURE__ */ past(() => globalThis.document);

/** One of the page's own nodes, read the same way: `<input name="append">` shadows the `append` of its form. */
export function unclobbered<T extends Node>(node: T): T {
  return past(() => node);
}

function past<T extends Node>(node: () => T): T {
  const prototype = (): T => Object.getPrototypeOf(node()) as T;
  return new Proxy({} as T, {
    get(_, name): unknown {
      const value: unknown = node() && Reflect.get(prototype(), name, node());
      return typeof value === 'function'
        ? (...given: unknown[]): unknown => Reflect.apply(value, node(), given)
        : value;
    },
    set: (_, name, value) => Reflect.set(prototype(), name, value, node()),
  });
}
