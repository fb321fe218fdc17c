import { dom } from './dom.ts';

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
