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

test('no folder of the network imports itself through others, types included', () => {
  expect(findCycles(byRoom(importsOf(FILES), 'src/network'))).toEqual([]);
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
      const text = readFileSync(file, 'utf8');
      const paths = [...text.matchAll(/\b(?:from|import)\s*\(?\s*'(\.[^'?]+)/g)].map(([, path]) => path ?? '');
      return [file, paths.map((path) => resolve(file, path)).filter((path) => known.has(path))];
    }),
  );
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
