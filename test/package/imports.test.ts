import { readdirSync, readFileSync } from 'node:fs';
import { dirname, posix } from 'node:path';
import { expect, test } from 'vitest';

/** Each node with the nodes that it imports. */
type Graph = ReadonlyMap<string, readonly string[]>;

const FILES = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .map((path) => posix.join('src', path.replaceAll('\\', '/')))
  .filter((path) => /\.tsx?$/.test(path));

test('no file of src imports itself through others, types included', () => {
  expect(FILES.length).toBeGreaterThan(300);
  expect(findCycles(importsOf(FILES))).toEqual([]);
});

test('no subfolder of a folder imports itself through others, types included', () => {
  const imports = importsOf(FILES);
  const folders = new Set(FILES.flatMap(foldersOf));
  expect(folders).toContain('src/network/database');
  const tangled = [...folders].filter((folder) => findCycles(byRoom(imports, folder)).length > 0);
  expect(tangled).toEqual([]);
});

/** What each folder may import besides its own files. What is missing here may import nothing. */
const MAY_IMPORT: Readonly<Record<string, string>> = {
  widget: 'dom wire preact',
  queue: 'wire idb-keyval',
  session: 'queue wire',
  consent: 'session',
  html: 'widget wire preact preact-render-to-string',
  page: 'dom session widget wire preact vue',
  inspector: 'dom page queue session wire preact',
  react: 'index',
  shopify: 'consent session wire preact',
  client: 'http wire',
  text: 'wire',
  http: 'text wire node',
  lock: 'node',
  relay: 'http lock text wire node redis',
  network: 'http lock text wire node @electric-sql pg yaml valibot @valibot offerlet',
  testing: 'queue relay session wire node @playwright msw',
  program: 'http text wire node',
  cli: 'dom http program text wire relay relay-redis client node offerlet playwright-core',
  operator: 'http program lock text wire node yaml',
  'operator/clients': 'http wire',
  'operator/reports': 'wire',
  'operator/publishers': 'http text wire',
  'operator/console/page': 'text wire preact',
  sandbox: 'cli http program text wire network verify node @hono offerlet offerlet-operator',
  verify: 'http text wire',
};

test('each folder imports only what it may', () => {
  const caught = FILES.flatMap((file) => {
    const wall = ['operator/console/page', /^operator\/\w+/, /^\w+(?=\/)/]
      .map((folder) => new RegExp(folder).exec(file.slice(4))?.[0])
      .find((folder) => folder !== undefined && (folder in MAY_IMPORT || !folder.startsWith('operator/')));
    if (wall === undefined) return []; // an entry
    const own = wall.split('/')[0] ?? '';
    const allowed = [own, ...(MAY_IMPORT[wall] ?? '').split(' ')];
    return pathsIn(file).flatMap((path) => {
      const to = path.startsWith('.') ? posix.join(dirname(file), path).slice(4) : path.replace(':', '/');
      return allowed.includes(to.split(/[/.]/)[0] ?? '') ? [] : [`${file} imports ${path}`];
    });
  });
  expect(caught).toEqual([]);
});

test('a cycle of any length is found, and a diamond is not a cycle', () => {
  const cycle = new Map([
    ['a', ['b']],
    ['b', ['c', 'd']],
    ['c', ['d']],
    ['d', []],
  ]);
  expect(findCycles(cycle)).toEqual([]);
  expect(findCycles(new Map([...cycle, ['d', ['b']]]))).toEqual([['b', 'c', 'd']]);
});

function importsOf(files: readonly string[]): Graph {
  const known = new Set(files);
  const resolve = (file: string, path: string): string => posix.join(dirname(file), path);
  return new Map(
    files.map((file) => {
      return [
        file,
        pathsIn(file)
          .map((path) => resolve(file, path))
          .filter((path) => known.has(path)),
      ];
    }),
  );
}

function pathsIn(file: string): string[] {
  const imports = /^(?:import|export)\b[^'"]*?\bfrom '([^'?]+)|\bimport\('([^'?]+)'|^import '([^'?]+)/gm;
  return [...readFileSync(file, 'utf8').matchAll(imports)].map((found) => found[1] ?? found[2] ?? found[3] ?? '');
}

/** The folders that a file is in, `src` included. */
function foldersOf(file: string): string[] {
  const folder = dirname(file);
  return folder === '.' ? [] : [folder, ...foldersOf(folder)];
}

/** The imports between the subfolders of a folder; a file directly in it counts as a subfolder. */
function byRoom(imports: Graph, folder: string): Graph {
  const roomOf = (file: string): string => file.slice(folder.length + 1).split('/')[0] ?? '';
  const rooms = new Map<string, string[]>();
  for (const [file, paths] of imports) {
    if (!file.startsWith(`${folder}/`)) continue;
    const room = roomOf(file);
    const others = paths.filter((path) => path.startsWith(`${folder}/`)).map(roomOf);
    rooms.set(room, [...(rooms.get(room) ?? []), ...others.filter((other) => other !== room)]);
  }
  return rooms;
}

/** The groups of nodes that reach each other, each in alphabetical order. */
function findCycles(graph: Graph): readonly (readonly string[])[] {
  const reached = new Map([...graph.keys()].map((node) => [node, reachableFrom(graph, node)]));
  const groups = new Set<string>();
  for (const [node, others] of reached) {
    if (!others.has(node)) continue;
    groups.add(
      [...others]
        .filter((other) => reached.get(other)?.has(node))
        .toSorted()
        .join(' '),
    );
  }
  return [...groups].toSorted().map((group) => group.split(' '));
}

function reachableFrom(graph: Graph, start: string): ReadonlySet<string> {
  const reached = new Set<string>();
  const next = [...(graph.get(start) ?? [])];
  for (let node = next.pop(); node !== undefined; node = next.pop()) {
    if (reached.has(node)) continue;
    reached.add(node);
    next.push(...(graph.get(node) ?? []));
  }
  return reached;
}
