/** The page's document, read past DOM clobbering: with `<img name="body">` on a page, `document.body` is that image. */
export const dom: Document = /* @__PURE__ */ readPast(() => globalThis.document);

/**
 * Reads one of the page's own objects past DOM clobbering: `<input name="append">` shadows the `append` of its form.
 * What shadows is an element, never a string or boolean, so methods and objects come from the prototype.
 */
export function unclobbered<T extends object>(node: T): T {
  return readPast(() => node);
}

/** Reads whatever `current` returns the same way. While that is undefined, so are all properties. */
function readPast<T extends object>(current: () => T | undefined): T {
  const prototype = (): object => Object.getPrototypeOf(current()) as object;
  return new Proxy({} as T, {
    get(_, name): unknown {
      const direct: unknown = current()?.[name as keyof T];
      if (Object(direct) !== direct) return direct;
      const value: unknown = Reflect.get(prototype(), name, current());
      return typeof value === 'function'
        ? (...given: unknown[]): unknown => Reflect.apply(value, current(), given)
        : value;
    },
    set: (_, name, value) => Reflect.set(prototype(), name, value, current()),
  });
}

/**
 * Gives a node the unclobbered document as its `ownerDocument`, by which Preact creates the node's children; those get it too.
 * Otherwise `<img name="createElementNS">` would keep the widget away.
 */
export function withOwnerDocument<T extends Node>(node: T): T {
  return Object.defineProperty(node, 'ownerDocument', { configurable: true, value: ownerDocument });
}

const ownerDocument: unknown = /* @__PURE__ */ Object.create(dom, {
  createElementNS: {
    value: (...given: Parameters<Document['createElementNS']>) => withOwnerDocument(dom.createElementNS(...given)),
  },
});
