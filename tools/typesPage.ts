// Writes the declarations of the built packages as a page: those of each entry, and what they refer to.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Where the declarations of each package are. */
const ROOTS: Readonly<Record<string, string>> = {
  offerlet: 'dist',
  'offerlet-operator': 'packages/operator/dist',
  'offerlet-sandbox': 'packages/sandbox/dist',
};
/** One declaration, and the file that has it. */
interface Declaration {
  readonly name: string;
  readonly path: string;
  readonly text: string;
}

/** What only the code of this project passes. */
const INTERNAL = 'MountContext';
const DECLARED =
  /(^\/\*\*(?:(?!\*\/)[^])*\*\/\n)?^(?:export )?(?:declare )?(?:abstract )?(?:interface|type|function|class|const) (\w+)/gm;

/** Returns the lines of the page for entries such as `['offerlet/queue', 'queue']`. A declaration is where it is needed first. */
export function typesPage(entries: readonly (readonly [entry: string, file: string, ...rest: string[]])[]): string[] {
  const written = new Map<string, string>();
  return entries.flatMap(([entry, file]) => {
    const root = ROOTS[entry.split('/')[0] ?? ''] ?? '';
    const exported = [...exportsOf(join(root, `${file}.d.ts`))];
    if (exported.length === 0) return [];
    const found = exported.flatMap(([name, path]) => declarationOf(path, name) ?? []);
    const { length } = found;
    // What is exported comes first, then what it refers to, in the order in which it does.
    for (const { path, text } of found)
      for (const name of new Set(text.replace(/\/\*\*[^]*?\*\//g, '').match(/\b[A-Z]\w+/g))) {
        if (name === INTERNAL) continue;
        const other = declarationOf(path, name);
        if (other && !found.some((one) => one.text === other.text)) found.push(other);
      }
    const isFresh = ({ name, text }: Declaration): boolean => written.get(name) !== text;
    const [fresh, others] = [found.slice(0, length).filter(isFresh), found.slice(length).filter(isFresh)];
    const known = exported.map(([name]) => name).filter((name) => !fresh.some((one) => one.name === name));
    for (const { name, text } of [...fresh, ...others]) written.set(name, text);
    return [
      `## ${entry}`,
      '',
      ...(known.length > 0 ? [`Also exports ${known.map((name) => `\`${name}\``).join(', ')}, as above.`, ''] : []),
      ...fresh.flatMap(({ name, text }) => [`### ${name}`, '', ...blockOf(text)]),
      ...(others.length > 0
        ? ['### What these refer to', '', ...blockOf(others.map(({ text }) => text).join('\n\n'))]
        : []),
    ];
  });
}

function blockOf(text: string): string[] {
  return ['```typescript', ...text.split('\n'), '```', ''];
}

/** The exported names of a file, each with the file that has it. */
function exportsOf(path: string): Map<string, string> {
  const text = readFileSync(path, 'utf8');
  const names = new Map<string, string>();
  for (const [, list = '', from = ''] of text.matchAll(/^export (?:type )?\{([^}]*)\}(?: from '(\..*)')?;/gm))
    for (const name of namesIn(list)) names.set(name, from ? fileOf(path, from) : path);
  for (const [, from = ''] of text.matchAll(/^export (?:type )?\* from '(\..*)';/gm))
    for (const [name, at] of exportsOf(fileOf(path, from))) names.set(name, at);
  for (const [whole, , name = ''] of text.matchAll(DECLARED)) if (/^export /m.test(whole)) names.set(name, path);
  return names;
}

/** The declaration of a name that a file has or imports; undefined if it is of another package or of the platform. */
function declarationOf(path: string, name: string): Declaration | undefined {
  const text = readFileSync(path, 'utf8');
  for (const match of text.matchAll(DECLARED))
    if (match[2] === name) return { name, path, text: endOf(text.slice(match.index)) };
  for (const [, list = '', from = ''] of text.matchAll(/^(?:import|export) (?:type )?\{([^}]*)\} from '(\..*)';/gm))
    if (namesIn(list).includes(name)) return declarationOf(fileOf(path, from), name);
  return undefined;
}

function namesIn(list: string): string[] {
  return list
    .split(',')
    .map((name) =>
      name
        .replace(/^\s*type /, '')
        .replace(/^.* as /, '')
        .trim(),
    )
    .filter(Boolean);
}

function fileOf(path: string, from: string): string {
  const file = join(dirname(path), from.replace(/(\.d)?\.tsx?$/, '.d.ts'));
  if (!existsSync(file)) throw new Error(`${path} refers to ${file}, which is not built.`);
  return file;
}

/** A declaration without what follows it: up to the first line outside of all brackets that ends it. */
function endOf(text: string): string {
  let depth = 0;
  let isComment = false;
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    lines.push(line);
    if (/^\s*\/\*\*/.test(line)) isComment = true;
    if (!isComment) depth += (line.match(/[{([]/g) ?? []).length - (line.match(/[})\]]/g) ?? []).length;
    if (line.includes('*/')) isComment = false;
    else if (!isComment && depth === 0 && /[;}]$/.test(line)) break;
  }
  return lines
    .filter((line) => !/^\s*(?:#private;|private .*;)$/.test(line))
    .map((line) => line.replace(/^(?: {4})+/, (indent) => indent.slice(indent.length / 2)))
    .join('\n')
    .replace(/^(?:export )?(?:declare )?(?=(?:abstract |interface|type|function|class|const))/m, '')
    .replace(`, context?: ${INTERNAL}`, '')
    .replace(/import\("[^"]*"\)\./g, '');
}
