/** The page's document, read past DOM clobbering: with `<img name="body">` on a page, `document.body` is that image. */
export const dom: Document = /* @__PURE__ */ readPast(() => globalThis.document);

/** Whether an element in the viewport is painted: neither it nor any of its ancestors is hidden or transparent. */
export function isPainted(element: Element): boolean {
  let opacity = getComputedStyle(element).visibility === 'visible' ? 1 : 0;
  for (let at: Element | undefined = element; at && opacity > 0; at = parentOf(at)) {
    const style = getComputedStyle(at);
    // Nobody sees an opacity below 0.1; fraudulent pages use 0.01.
    opacity = style.filter.includes('opacity(0)') ? 0 : opacity * Number(style.opacity || 1);
  }
  return opacity >= 0.1;
}

function parentOf(element: Element): Element | undefined {
  const { assignedSlot, parentElement, getRootNode } = unclobbered(element);
  const root = getRootNode();
  return assignedSlot ?? parentElement ?? (root instanceof ShadowRoot ? root.host : undefined);
}

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
