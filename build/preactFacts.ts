/**
 * What is always the same in our widget, as expressions of Preact's source and their values. The minifier removes what
 * they make unreachable. test/package/leanPreact.test.ts checks that the widget uses nothing of what is removed.
 */
export const FACTS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'no plugins of Preact': {
    undefined: [
      'tmp = options._diff',
      'tmp = options.diffed',
      ...['_root', '_commit', '_render', 'unmount', '_hydrationMismatch', 'event'].map((name) => `options.${name}`),
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
    undefined: ['tmp && globalContext[tmp._id]', 'globalContext', 'commitQueue.length'],
    'vnode._parent = NULL': ['vnode._component = vnode._parent = NULL'],
    '{}': ['c = oldVNode._component'],
    'newType(newProps)': ['c.render(c.props, (c.state = c._nextState), c.context)'],
    '(() => {})': ['commitQueue.some'],
    false: [
      'isClassComponent',
      'tmp = newType.prototype',
      'provider',
      'newType.contextType',
      'oldVNode._component',
      'r = vnode._component',
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
  'refs are functions that return nothing, and an element keeps its ref': {
    true: ["typeof ref == 'function'", '!r.current || r.current == vnode._dom'],
    undefined: ['applyRef(oldVNode.ref, NULL, childVNode, oldVNode)', 'owner._refCleanup = NULL'],
    'refQueue.push(childVNode.ref, newDom)': [
      'refQueue.push(childVNode.ref, childVNode._component || newDom, childVNode)',
    ],
    'ref(value)': ['value._refCleanup = ref(value) || 1'],
    owner: ['owner && (owner = owner._component || owner._dom) && (value = owner._refCleanup)'],
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
      'newProps.is',
      'parentDom.nodeType == 9',
    ],
    undefined: ['newHtml', 'oldHtml'],
    "'http://www.w3.org/1999/xhtml'": ['namespace'],
    true: ['list', 'form', 'download', 'rowSpan', 'colSpan'].map((name) => `name != '${name}'`),
    'parentDom.ownerDocument': ['parentDom.ownerDocument || document'],
  },
  'an element keeps its props, and only listeners are functions': {
    node: ['node && node.parentNode'],
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
      'e[EVENT_DISPATCHED] < this._attached[name]',
    ],
    true: ["name[0] < 'a'", 'e[EVENT_DISPATCHED] == NULL'],
    0: ['e[EVENT_DISPATCHED]', '(dom._attached || (dom._attached = {}))[name]'],
  },
  'children are never used twice and never change their order; those in lists of changing length have keys': {
    0: [
      'skew',
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
      'childVNode.constructor === VNODE_MARKER && childVNode._depth',
      'childVNode.constructor === String',
    ],
  },
};

/** Parameters that the facts leave without a use, by function and position. */
export const UNUSED_PARAMETERS: Readonly<Record<string, readonly number[]>> = {
  diff: [3, 4, 5, 6, 8],
  diffChildren: [4, 5, 6, 7, 9],
  diffElementNodes: [3, 4, 5, 6, 7],
  commitRoot: [0, 1],
  applyRef: [2],
  unmount: [1],
  createVNode: [4],
  insert: [3],
};

/** Fields of a virtual node that the facts leave without a use. */
export const UNUSED_FIELDS = /^(_depth|_component|_original):/;
