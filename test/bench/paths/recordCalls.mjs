// Records which functions of the project run, and in which order. `node --import recordCalls.mjs PROGRAM` does so in a process,
// which then responds to each message with what ran since the last one. The bench does the same in a page.
import { realpathSync } from 'node:fs';
import { register } from 'node:module';
import { relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import { parseSync } from 'vite';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

if (isMainThread && process.send) {
  startRecording();
  register(import.meta.url, { data: pathToFileURL(realpathSync(process.argv[1])).href });
  process.on('message', () => process.send(globalThis.recordedCalls.take()));
  process.channel.unref();
  process.on('exit', () => process.send(globalThis.recordedCalls.take()));
}

/**
 * Sets `globalThis.recordedCalls`, which each instrumented function notifies before anything else. Functions that run while a module is
 * being imported are ignored. Runs in pages as well, so it uses nothing from outside.
 */
export function startRecording() {
  let files = new Map();
  let importing = 0;
  globalThis.recordedCalls = {
    entered(file, position) {
      if (importing) return;
      if (!files.has(file)) files.set(file, new Set());
      files.get(file).add(position);
    },
    importStarts: () => void (importing += 1),
    importEnds: () => void (importing -= 1),
    /** Returns the files whose functions ran, in the order of their first use, and forgets them. */
    take() {
      const taken = [...files].map(([file, functions]) => ({ file, functions: [...functions] }));
      files = new Map();
      return taken;
    },
  };
}

/** Returns a module's code in which each function notifies `recordedCalls`. A `program` is a module that runs more than its imports. */
export function instrument(code, file, isProgram = false) {
  const inserted = [];
  visit(parseSync(file, code, { lang: 'js' }).program);
  let result = '';
  let from = 0;
  for (const [at, text] of inserted.toSorted(([a], [b]) => a - b)) {
    result += code.slice(from, at) + text;
    from = at;
  }
  result += code.slice(from);
  return isProgram ? result : `recordedCalls.importStarts();${result}\n;recordedCalls.importEnds();`;

  function visit(node) {
    if (Array.isArray(node)) return node.forEach(visit);
    if (typeof node?.type !== 'string') return;
    if (/^(ArrowFunctionExpression|Function(Expression|Declaration))$/.test(node.type)) {
      const call = `recordedCalls.entered(${JSON.stringify(file)},${node.start})`;
      const { type, start, end } = node.body;
      if (type === 'BlockStatement') inserted.push([start + 1, `${call};`]);
      else inserted.push([start, `(${call},`], [end, ')']);
    }
    Object.values(node).forEach(visit);
  }
}

// What follows runs in the thread in which Node loads modules.
let program;

/** Learns which module is the program. */
export function initialize(url) {
  program = url;
}

/** Instruments the modules of the project. */
export async function load(url, context, next) {
  const loaded = await next(url, context);
  if (!url.startsWith('file:') || loaded.format !== 'module') return loaded;
  const file = relative(ROOT, fileURLToPath(url)).replaceAll('\\', '/');
  if (file.startsWith('..') || /(^|\/)node_modules\/|^test\//.test(file)) return loaded;
  return { ...loaded, source: instrument(String(loaded.source), file, url === program) };
}
