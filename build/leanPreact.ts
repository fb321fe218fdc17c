import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { mapped } from './classicJsx.ts';
import { FACTS, UNUSED_FIELDS, UNUSED_PARAMETERS } from './preactFacts.ts';

const FOLDER = fileURLToPath(new URL('../node_modules/preact/src/', import.meta.url)).replaceAll('\\', '/');

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

interface Call extends Node {
  readonly callee: Node;
  readonly arguments: readonly Node[];
}

interface Declaration extends Node {
  readonly id: Node;
  readonly params: readonly Node[];
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
      const called = isCall(node) ? node.callee : isDeclaration(node) ? node.id : undefined;
      const positions = called && UNUSED_PARAMETERS[textOf(called)];
      for (const [key, children] of Object.entries(node)) {
        if (positions && (key === 'arguments' || key === 'params'))
          visitList(children as Node[], key, (_, index) => positions.includes(index));
        else if (key === 'properties' && node.type === 'ObjectExpression')
          visitList(children as Node[], key, (field) => UNUSED_FIELDS.test(textOf(field)));
        else
          for (const child of [children].flat() as unknown[])
            if (isNode(child)) visit(child, isBinding(node, key) ? 'binding' : '');
      }
    }

    function visitList(nodes: readonly Node[], role: string, isUnused: (node: Node, index: number) => boolean): void {
      for (const [index, node] of nodes.entries()) {
        if (!index) result += code.slice(at, node.start);
        at = node.start;
        if (!isUnused(node, index)) {
          visit(node, role === 'params' ? 'binding' : '');
          result += `${code.slice(at, node.end)},`;
        }
        at = node.end;
      }
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

function isCall(node: Node): node is Call {
  return node.type === 'CallExpression';
}

function isDeclaration(node: Node): node is Declaration {
  return node.type === 'FunctionDeclaration';
}

/** Whether a child of a node is a name or a target, not a value. */
function isBinding(parent: Node, key: string): boolean {
  if (key === 'left') return parent.type === 'AssignmentExpression';
  if (key === 'property') return !(parent as Node & { computed?: boolean }).computed;
  return ['id', 'params', 'key', 'local', 'imported', 'exported'].includes(key) || parent.type === 'UpdateExpression';
}
