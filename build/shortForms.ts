import { minify } from 'terser';
import type { Plugin } from 'vite';
import { COMPILE_HINT } from './minifyAgain.ts';
import { rewriteChunks } from './rewriteChunks.ts';

/** A node of the syntax tree, as ESTree describes it. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

interface Func extends Node {
  readonly id: (Node & { name: string }) | null;
  readonly params: readonly Node[];
  readonly body: Node & { body: readonly (Node & { argument?: Node | null })[] };
  readonly async: boolean;
  readonly generator: boolean;
}

interface Template extends Node {
  readonly quasis: readonly { value: { cooked: string } }[];
  readonly expressions: readonly Node[];
}

/**
 * Rewrites what no minifier dares to, and minifies again (−200 bytes): functions become arrow functions unless they use `this`,
 * `arguments` or `new`, and template literals become sums. For our script only: its templates contain strings and numbers.
 */
export function shortForms(): Plugin {
  return rewriteChunks('short-forms', async (chunk, context) => {
    const { code } = await minify(rewrite(chunk.code, context.parse(chunk.code) as unknown as Node), {
      ecma: 2020,
      compress: { passes: 2, pure_getters: true, keep_fargs: false, comparisons: false },
      format: { quote_style: 2, preamble: COMPILE_HINT },
    });
    if (code) chunk.code = code;
  });
}

/** Returns the code of a parsed program in its short forms. */
function rewrite(code: string, program: Node): string {
  return write(program);

  function write(node: Node): string {
    if (node.type === 'TemplateLiteral') return writeSum(node as Template);
    if (node.type === 'FunctionExpression' && mayBeArrow(node)) return `(${writeArrow(node)})`;
    const functions = bodyOf(node).filter(isDeclaration);
    const lead = node.type === 'Program' ? node.start : node.start + 1;
    let text = functions[0] ? code.slice(node.start, lead) : '';
    // Declared functions can be called before the line that declares them.
    for (const declared of functions) text += `let ${declared.id?.name}=${writeArrow(declared)};`;
    let at = functions[0] ? lead : node.start;
    for (const child of childrenOf(node)) {
      // Both the name and the value of a shorthand property.
      if (child.start < at) continue;
      text += code.slice(at, child.start);
      if (!isDeclaration(child)) text += write(child);
      at = child.end;
    }
    return text + code.slice(at, node.end);
  }

  function writeArrow({ params, body, async }: Func): string {
    const [only, next] = body.body;
    const result = only?.type === 'ReturnStatement' && !next ? only.argument : undefined;
    return `${async ? 'async ' : ''}(${params.map(write).join(', ')}) => ${result ? `(${write(result)})` : write(body)}`;
  }

  function writeSum({ quasis, expressions }: Template): string {
    const parts = quasis.flatMap(({ value: { cooked } }, at) => {
      const expression = expressions[at];
      // The first term but one must be a string.
      const text = cooked || (at === 0 && !quasis[1]?.value.cooked) ? [JSON.stringify(cooked)] : [];
      return expression ? [...text, `(${write(expression)})`] : text;
    });
    return `(${parts.join(' + ')})`;
  }

  function isDeclaration(node: Node): node is Func {
    return node.type === 'FunctionDeclaration' && mayBeArrow(node);
  }

  function mayBeArrow(node: Node): node is Func {
    const { id, generator, params, body } = node as Func;
    // Methods are function expressions without the word.
    if (generator || !/^(async )?function/.test(code.slice(node.start, node.end))) return false;
    if (id && (node.type === 'FunctionExpression' || RegExp(`\\bnew ${id.name}\\b`).test(code))) return false;
    return ![...params, body].some(isDynamic);
  }
}

/** Whether a function with this part has to be one: arrow functions have no `this` and no `arguments`. */
function isDynamic(node: Node): boolean {
  const { type, name } = node as Node & { name?: string };
  if (type === 'ThisExpression' || type === 'MetaProperty' || name === 'arguments') return true;
  return childrenOf(node).some((child) => !child.type.startsWith('Function') && isDynamic(child));
}

function bodyOf(node: Node): readonly Node[] {
  return /^(Program|BlockStatement)$/.test(node.type) ? (node as Node & { body: readonly Node[] }).body : [];
}

/** Returns the parts of a node in the order of the code. */
function childrenOf(node: Node): Node[] {
  return Object.values(node)
    .flat()
    .filter((value: unknown): value is Node => typeof (value as Node | null)?.type === 'string')
    .sort((a, b) => a.start - b.start);
}
