// Preact without what the widget doesn't use: 1.1 KB in place of 3.8, and no way to write HTML is left in it. Preact has no build
// flags for that, so expressions of its source are replaced by the value that each always has here; the minifier removes what
// becomes unreachable. test/package/leanPreact.test.ts checks that the widget uses none of the removed code, and
// test/package/leanWidget.test.ts compares the widget on the reduced Preact and on the whole one.
//
// Import Preact unchanged instead when Preact can be built without hydration, class components and Suspense, when an update of
// Preact takes more than an hour here, or when 2.7 KB matter no more.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build, type BuildOptions, type Plugin, type Rolldown } from 'vite';

const PREACT = folder('../node_modules/preact/src/');
const SOURCES = folder('../src/');
/** Where the widget's modules find it in dist/. There is no such source file. */
const MODULE = `${SOURCES}widget/preact.js`;

/** What compiled JSX calls, in the place of Preact's own module, which has more cases. A component gets its ref as a prop. */
const JSX_RUNTIME = `import { createVNode } from './create-element';
export function jsx(type, props, key) {
  if (typeof type == 'function') return createVNode(type, props, key);
  const { ref, ...others } = props;
  return createVNode(type, others, key, ref);
}
export { jsx as jsxs };`;

/** Expressions of Preact's source by what they are worth in our widget, and why. */
const FACTS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'no plugins of Preact': {
    undefined: [
      'tmp = options._diff',
      'tmp = options.diffed',
      ...['_root', '_commit', '_render', 'unmount', 'event'].map((name) => `options.${name}`),
    ],
  },
  // What is in the root already is adopted, and corrected where it says something else.
  'no hydration, which would leave wrong attributes, and no Suspense': {
    false: [
      'isHydrating',
      '!isHydrating && excessDomChildren',
      'oldVNode._flags & MODE_SUSPENDED',
      'oldVNode._flags & REF_DETACHED',
      'newVNode._flags &= RESET_MODE',
      'next.nodeType == 8',
      'oldDom.nodeType == 8',
      'oldDom && !oldDom.parentNode',
    ],
    // Instead of a copy of all its attributes.
    '(excessDomChildren ? (dom.getAttribute(i) ?? undefined) : oldProps[i]) !== value': ['oldProps[i] !== value'],
    // Writing the same text would undo a selection.
    'dom.data != newProps': ['oldProps !== newProps && (!isHydrating || dom.data != newProps)'],
  },
  'components are plain functions that return one element, without state, context or effects': {
    undefined: ['tmp && globalContext[tmp._id]'],
    'vnode._parent = NULL': ['vnode._component = vnode._parent = NULL'],
    '{}': ['c = oldVNode._component'],
    'newType(newProps)': ['c.render(c.props, (c.state = c._nextState), c.context)'],
    '(() => {})': ['commitQueue.some'],
    false: [
      'tmp = newType.prototype',
      'newType.contextType',
      'r = vnode._component',
      'newVNode._original == oldVNode._original && !(c._bits & COMPONENT_DIRTY)',
      'c.getChildContext',
      'c.componentWillUpdate',
      'c.shouldComponentUpdate',
      'c._renderCallbacks.length',
      'c._bits',
      'c._vnode',
      'c.context',
      'c.props',
      'c.state',
      'c._parentDom',
      'newVNode._component',
      'BaseComponent.prototype.forceUpdate',
      'BaseComponent.prototype.render',
      'tmp && tmp.type === Fragment && tmp.key == NULL',
    ],
  },
  'no portals': {
    undefined: ['newProps._parentDom', 'vnode.props._parentDom'],
  },
  'refs are functions that return nothing, and an element keeps its ref': {
    true: ["typeof ref == 'function'", '!r.current || r.current == vnode._dom'],
    undefined: ['applyRef(oldVNode.ref, NULL, childVNode, oldVNode)', 'owner._refCleanup = NULL'],
    'ref(value)': ['value._refCleanup = ref(value) || 1'],
    owner: ['owner && (owner = owner._component || owner._dom) && (value = owner._refCleanup)'],
  },
  'no SVG, MathML, templates, forms or raw HTML, and no style props': {
    false: [
      "nodeType == 'template'",
      "nodeType == 'textarea' && newProps.defaultValue != NULL",
      "!isHydrating || nodeType == 'textarea'",
      ...['dangerouslySetInnerHTML', 'value', 'checked'].map((name) => `i == '${name}'`),
      "name == 'style'",
      "name == 'popover' && value == true",
      'newProps.is',
      'parentDom.nodeType == 9',
    ],
    "'http://www.w3.org/1999/xhtml'": ['namespace'],
    true: ['list', 'form', 'download', 'rowSpan', 'colSpan'].map((name) => `name != '${name}'`),
    'parentDom.ownerDocument': ['parentDom.ownerDocument || document'],
  },
  'an element keeps its props, and only listeners are functions': {
    node: ['node && node.parentNode'],
    0: ['value = oldProps[i]'],
    true: ['i in newProps', "value != NULL && (value !== false || name[4] == '-')"],
    false: ["typeof value == 'function'"],
  },
  'properties that set the attribute of the same name unchanged': {
    true: ['width', 'height', 'href', 'tabIndex', 'role', 'popover'].map((name) => `name != '${name}'`),
  },
  'listeners are there from the start, and not for the capture phase': {
    undefined: ['dom.removeEventListener(name, proxy, useCapture)'],
    'dom.addEventListener(name, proxy)': ['dom.addEventListener(name, proxy, useCapture)'],
    '!oldValue': ['!value || !oldValue'],
    false: [
      "typeof value != 'function'",
      "typeof oldValue != 'function'",
      "name != (name = name.replace(CAPTURE_REGEX, '$1'))",
    ],
    true: ["name[0] < 'a'", 'e[EVENT_DISPATCHED] == NULL'],
    0: ['e[EVENT_DISPATCHED]', '(dom._attached || (dom._attached = {}))[name]'],
  },
  'children are never used twice and never change their order; those in lists of changing length have keys': {
    0: [
      'x >= 0',
      'childVNode._flags |= LIS_CANDIDATE',
      'childVNode._flags &= ~(INSERT_VNODE | LIS_CANDIDATE)',
      'oldVNode._dom = NULL',
      'childVNode._depth',
    ],
    true: ['result !== UNDEFINED'],
    '!oldVNode': ['!oldVNode || !oldVNode._original'],
    i: ['i + skew'],
    false: [
      "typeof childVNode == 'function'",
      'moved',
      '!isMounting && parentDom.moveBefore && dom.parentNode',
      "typeof parentVNode.type == 'function'",
      '!original && options.vnode',
      'childVNode.constructor === String',
    ],
  },
};

/** Fields of a virtual node that the facts leave without a use. */
const UNUSED_FIELDS = /^\t+_(depth|component|original): .*\n/gm;
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

/** Puts the reduced Preact in the place of the published one. For a file that contains everything it needs. */
export function leanPreact(): Plugin {
  const facts = new Map<string, string>();
  for (const values of Object.values(FACTS))
    for (const [value, expressions] of Object.entries(values))
      for (const expression of expressions) facts.set(expression, value);
  const unused = new Set(facts.keys());

  function applyFacts(code: string, tree: Node): string {
    let result = '';
    let at = 0;
    visit(tree, false);
    return result + code.slice(at);

    function visit(node: Node, isBinding: boolean): void {
      const text = textOf(node);
      // An assignment may also be named by its left side.
      const fact = facts.has(text) || node.type !== 'AssignmentExpression' ? text : textOf((node as Assignment).left);
      const value = facts.get(fact);
      if (value !== undefined && EXPRESSION.test(node.type) && !isBinding) {
        unused.delete(fact);
        result += `${code.slice(at, node.start)}(${value})`;
        at = node.end;
        return;
      }
      // Without error boundaries, errors are thrown to the caller of render().
      if (isBoundary(node)) {
        result += code.slice(at, node.start);
        at = node.block.start;
        visit(node.block, false);
        result += code.slice(at, node.block.end);
        at = node.end;
        return;
      }
      for (const [key, children] of Object.entries(node))
        for (const child of [children].flat() as unknown[]) if (isNode(child)) visit(child, isTarget(node, key));
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
      if (id === 'preact') return `${PREACT}index.js`;
      if (id === 'preact/jsx-runtime') return `${PREACT}jsx-runtime.js`;
      if (from?.startsWith(PREACT) && id.startsWith('.')) return fileURLToPath(new URL(`${id}.js`, `file://${from}`));
      return undefined;
    },
    load(id) {
      if (!id.startsWith(PREACT)) return undefined;
      const source = id.endsWith('/jsx-runtime.js') ? JSX_RUNTIME : readFileSync(id, 'utf8');
      const code = source.replace(UNUSED_FIELDS, '');
      return applyFacts(code, this.parse(code) as unknown as Node);
    },
    buildEnd(error) {
      if (!error && unused.size > 0)
        this.error(`Preact has changed. These expressions are gone: ${[...unused].join(', ')}`);
    },
  };
}

/** Gives the widget's modules the reduced Preact as one minified module, because no bundler can reduce the published one. */
export function leanPreactModule(minification: BuildOptions): Plugin {
  return {
    name: 'lean-preact-module',
    enforce: 'pre',
    resolveId: (id, from) => (isOfWidget(id, from) ? MODULE : undefined),
    load: (id) => (id === MODULE ? bundleLeanPreact(minification) : undefined),
  };
}

/** Whether an import is the widget's Preact. */
export function isOfWidget(id: string, from: string | undefined): boolean {
  return (
    /^preact(\/jsx-runtime)?$/.test(id) &&
    from !== undefined &&
    from.replaceAll('\\', '/').startsWith(`${SOURCES}widget/`)
  );
}

async function bundleLeanPreact(minification: BuildOptions): Promise<string> {
  const entry = 'lean-preact-entry';
  const results = (await build({
    configFile: false,
    logLevel: 'warn',
    plugins: [
      {
        name: entry,
        resolveId: (id) => (id.endsWith(entry) ? entry : undefined),
        load: (id) =>
          id === entry ? "export { render } from 'preact'; export { jsx, jsxs } from 'preact/jsx-runtime';" : undefined,
      },
      leanPreact(),
    ],
    build: { ...minification, write: false, target: 'es2022', lib: { entry, formats: ['es'] } },
  })) as Rolldown.RolldownOutput[];
  return results[0]?.output[0].code ?? '';
}

function folder(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url)).replaceAll('\\', '/');
}

function isNode(value: unknown): value is Node {
  return typeof (value as Node | null)?.type === 'string';
}

/** Whether a child of a node is a name or a target, not a value. */
function isTarget(parent: Node, key: string): boolean {
  if (key === 'left') return parent.type === 'AssignmentExpression';
  if (key === 'property') return !(parent as Node & { computed?: boolean }).computed;
  return ['id', 'params', 'key', 'local', 'imported', 'exported'].includes(key) || parent.type === 'UpdateExpression';
}
