import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { mapped } from './classicJsx.ts';

const FOLDER = fileURLToPath(new URL('../node_modules/preact/src/', import.meta.url)).replaceAll('\\', '/');

/**
 * What is always the same in our widget, as expressions of Preact's source and their values. The minifier removes what
 * they make unreachable. test/package/leanPreact.test.ts checks that the widget uses nothing of what is removed.
 */
const FACTS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'no plugins of Preact': {
    undefined: [
      'tmp = options._diff',
      'tmp = options.diffed',
      ...['vnode', '_root', '_commit', '_render', 'unmount', '_hydrationMismatch', 'event'].map(
        (name) => `options.${name}`,
      ),
    ],
  },
  'no server-rendered content, no Suspense': {
    false: [
      'isHydrating',
      'resumed',
      'oldVNode._flags & MODE_SUSPENDED',
      'vnode && vnode._flags & MODE_HYDRATE',
      'oldVNode._flags & REF_DETACHED',
      'newVNode._flags &= RESET_MODE',
      'r = r._excess',
      'next.nodeType == 8',
      'oldDom.nodeType == 8',
      'oldDom && !oldDom.parentNode',
      'parentDom.firstChild',
    ],
    null: ['excessDomChildren'],
  },
  'components are plain functions that return one element, without state, context or effects': {
    '{}': ['c = oldVNode._component'],
    'newType(newProps)': ['c.render(c.props, (c.state = c._nextState), c.context)'],
    '(() => {})': ['commitQueue.some'],
    false: [
      'isClassComponent',
      'tmp = newType.prototype',
      'provider',
      'newType.contextType',
      'oldVNode._component',
      'childVNode._component',
      'r = vnode._component',
      'owner._component',
      'newVNode._original == oldVNode._original && !(c._bits & COMPONENT_DIRTY)',
      'c.getChildContext',
      'c.componentWillUpdate',
      'c.shouldComponentUpdate',
      'c._renderCallbacks.length',
      'c._bits & COMPONENT_DIRTY',
      'c._bits & COMPONENT_PENDING_ERROR',
      'c._bits & COMPONENT_PROCESSING_EXCEPTION',
      'c._bits',
      'c._vnode',
      'c.context',
      'c.props',
      'c.state',
      'c._parentDom',
      'newVNode._component',
      'BaseComponent.prototype.setState',
      'BaseComponent.prototype.forceUpdate',
      'BaseComponent.prototype.render',
      'tmp && tmp.type === Fragment && tmp.key == NULL',
    ],
  },
  'no portals': {
    undefined: ['newProps._parentDom', 'vnode.props._parentDom', 'parentVNode.props._parentDom'],
  },
  'refs are functions': {
    true: ["typeof ref == 'function'", '!r.current || r.current == vnode._dom'],
  },
  'no SVG, MathML, templates, forms or raw HTML, and no style props': {
    false: [
      ...['svg', 'math', 'foreignObject', 'template'].map((name) => `nodeType == '${name}'`),
      "!isHydrating || nodeType == 'textarea'",
      ...['dangerouslySetInnerHTML', 'value', 'checked'].map((name) => `i == '${name}'`),
      'namespace == MATH_NAMESPACE',
      'namespace == SVG_NAMESPACE',
      "name == 'style'",
      "name == 'popover' && value == true",
      "name[4] == '-'",
      'newProps.is',
      'parentDom.nodeType == 9',
    ],
    undefined: ['newHtml', 'oldHtml'],
    true: ['list', 'form', 'download', 'rowSpan', 'colSpan'].map((name) => `name != '${name}'`),
    'parentDom.ownerDocument': ['parentDom.ownerDocument || document'],
  },
  'listeners are there from the start, and not for the capture phase': {
    false: ["name != (name = name.replace(CAPTURE_REGEX, '$1'))", 'e[EVENT_DISPATCHED] < this._attached[name]'],
    true: ["name[0] < 'a'", 'e[EVENT_DISPATCHED] == NULL'],
    0: ['e[EVENT_DISPATCHED]', '(dom._attached || (dom._attached = {}))[name]'],
  },
  'children are never used twice and never change their order': {
    false: [
      'moved',
      'parentDom.moveBefore',
      'childVNode.constructor === VNODE_MARKER && childVNode._depth',
      'childVNode.constructor === String',
    ],
  },
};

/** The nodes that a fact may replace. */
const EXPRESSION = /^(Identifier|(Member|Binary|Logical|Call|Assignment)Expression)$/;

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

interface Assignment extends Node {
  readonly left: Node;
}

interface Try extends Node {
  readonly block: Node;
  readonly handler: Node | null;
}

/**
 * Includes Preact from its source, without the features that the widget doesn't use. Only for the script tag's file: a
 * bundler shares the published Preact with the rest of the page.
 */
export function leanPreact(): Plugin {
  const facts = new Map<string, string>();
  for (const values of Object.values(FACTS))
    for (const [value, expressions] of Object.entries(values))
      for (const expression of expressions) facts.set(expression, value);
  const unused = new Set(facts.keys());

  function applyFacts(code: string, tree: Node): string {
    let result = '';
    let at = 0;
    visit(tree, '');
    return result + code.slice(at);

    function visit(node: Node, role: string): void {
      const text = textOf(node);
      // An assignment may also be named by its left side.
      const fact = facts.has(text) || node.type !== 'AssignmentExpression' ? text : textOf((node as Assignment).left);
      const value = facts.get(fact);
      if (value !== undefined && EXPRESSION.test(node.type) && role !== 'binding') {
        unused.delete(fact);
        result += `${code.slice(at, node.start)}(${value})`;
        at = node.end;
        return;
      }
      // Without error boundaries, errors are thrown to the caller of render().
      if (isBoundary(node)) {
        result += code.slice(at, node.start);
        at = node.block.start;
        visit(node.block, '');
        result += code.slice(at, node.block.end);
        at = node.end;
        return;
      }
      for (const [key, children] of Object.entries(node))
        for (const child of [children].flat() as unknown[])
          if (isNode(child)) visit(child, isBinding(node, key) ? 'binding' : '');
    }

    function isBoundary(node: Node): node is Try {
      return node.type === 'TryStatement' && textOf((node as Try).handler ?? node).includes('options._catchError(');
    }

    function textOf({ start, end }: Node): string {
      return code.slice(start, end).replace(/\s+/g, ' ').replace(/\( /g, '(').replace(/ \)/g, ')');
    }
  }

  return {
    name: 'lean-preact',
    enforce: 'pre',
    resolveId(id, from) {
      if (id === 'preact') return `${FOLDER}index.js`;
      if (from?.startsWith(FOLDER) && id.startsWith('.')) return new URL(`${id}.js`, `file://${from}`).pathname;
      return undefined;
    },
    load: (id) => (id.startsWith(FOLDER) ? readFileSync(id, 'utf8') : undefined),
    transform(code, id) {
      return id.startsWith(FOLDER) ? mapped(applyFacts(code, this.parse(code) as unknown as Node), id) : undefined;
    },
    buildEnd(error) {
      if (!error && unused.size > 0)
        this.error(`Preact has changed. These expressions are gone: ${[...unused].join(', ')}`);
    },
  };
}

function isNode(value: unknown): value is Node {
  return typeof (value as Node | null)?.type === 'string';
}

/** Whether a child of a node is a name or a target, not a value. */
function isBinding(parent: Node, key: string): boolean {
  if (key === 'left') return parent.type === 'AssignmentExpression';
  if (key === 'property') return !(parent as Node & { computed?: boolean }).computed;
  return ['id', 'params', 'key', 'local', 'imported', 'exported'].includes(key) || parent.type === 'UpdateExpression';
}
