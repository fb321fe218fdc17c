import { readdirSync, readFileSync } from 'node:fs';

/** One fenced code block of a page. */
export interface CodeBlock {
  readonly page: string;
  readonly language: string;
  readonly code: string;
  /** Line of the page on which the code begins, from 1. */
  readonly line: number;
  /** Declarations for the type checker, from a `<!-- types: … -->` comment above the block. */
  readonly types: string;
}

/** One Markdown file. */
export interface Page {
  readonly path: string;
  readonly text: string;
}

/** The README files, the documents beside them, and everything in docs/. */
const PAGE_PATHS = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  '.github/SECURITY.md',
  'packages/operator/README.md',
  'packages/sandbox/README.md',
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.startsWith('site'))
    .map((name) => `docs/${name.replaceAll('\\', '/')}`)
    .sort(),
];

/** Every page of the documentation. */
export const PAGES: readonly Page[] = PAGE_PATHS.map((path) => ({ path, text: readFileSync(path, 'utf8') }));

/** The page at a path; throws if there is none. */
export function pageAt(path: string): Page {
  const page = PAGES.find((one) => one.path === path);
  if (!page) throw new Error(`There is no page ${path}`);
  return page;
}

/** The fenced code blocks of a page, in order. */
export function codeBlocks({ path, text }: Page): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  const lines = text.split('\n');
  for (let index = 0; index < lines.length; index++) {
    const [, indent = '', language] = /^( *)```(\S*)/.exec(lines[index] ?? '') ?? [];
    if (language === undefined) continue;
    const end = lines.findIndex((line, at) => at > index && line.trimEnd() === `${indent}\`\`\``);
    if (end < 0) throw new Error(`${path}:${index + 1}: the code block is never closed`);
    const code = lines.slice(index + 1, end).map((line) => line.slice(indent.length));
    const types = /^<!-- types: (.*) -->$/.exec(lines[index - 1]?.trim() ?? '')?.[1] ?? '';
    blocks.push({ page: path, language, code: code.join('\n'), line: index + 2, types });
    index = end;
  }
  return blocks;
}

/** Every code block of a language, on every page. */
export function blocksIn(...languages: readonly string[]): CodeBlock[] {
  return PAGES.flatMap(codeBlocks).filter(({ language }) => languages.includes(language));
}

/** A page without its code blocks, so that nothing in them is taken for a link or a heading. */
export function proseOf({ text }: Page): string {
  return text.replace(/^( *)```[\s\S]*?^\1```$/gm, '');
}

/** The section below a heading, up to the next heading of the same or a higher level. */
export function sectionOf(page: Page, heading: string): string {
  const lines = page.text.split('\n');
  let isCode = false;
  // A comment in a shell block looks like a heading.
  const levels = lines.map((line) => {
    if (line.trimStart().startsWith('```')) isCode = !isCode;
    return isCode || !/^#+ /.test(line) ? 0 : line.indexOf(' ');
  });
  const start = lines.findIndex((line, at) => levels[at] && line.replace(/^#+ /, '') === heading);
  if (start < 0) throw new Error(`${page.path} has no heading "${heading}"`);
  const end = levels.findIndex((level, at) => at > start && level > 0 && level <= (levels[start] ?? 0));
  return lines.slice(start + 1, end < 0 ? undefined : end).join('\n');
}

/** The cells of the first table in a text whose header begins with `first`; one list per row, header left out. */
export function tableIn(text: string, first: string): string[][] {
  const lines = text.split('\n');
  const start = lines.findIndex(
    (line, at) => line.trim().startsWith(`| ${first} |`) && lines[at + 1]?.includes('|---'),
  );
  if (start < 0) throw new Error(`There is no table whose header begins with "${first}"`);
  const length = lines.slice(start).findIndex((line) => !line.trim().startsWith('|'));
  return lines.slice(start + 2, length < 0 ? undefined : start + length).map((line) =>
    line
      .trim()
      .replace(/^\||\|$/g, '')
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim()),
  );
}

/** Everything in a text that is written `like this`. */
export function codeIn(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}

/** The names in the first column of a table; a cell may have several, and a method's parentheses are left out. */
export function columnOf(text: string, header: string): string[] {
  return tableIn(text, header).flatMap(([cell = '']) => codeIn(cell).map((name) => name.replace(/\(.*$/, '')));
}
