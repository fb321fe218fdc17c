import { readFileSync } from 'node:fs';
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type Node } from 'yaml';
import { safeText } from '../../program/terminal.ts';
import { UsageError } from '../../program/ExitError.ts';
import { suggest } from '../../text/didYouMean.ts';
import { isDate } from '../../wire/utcDates.ts';

/** Bytes of a file that are read: rules and reports are written by hand. */
const FILE_MAX = 1024 * 1024;

/** Reads a YAML file strictly. Throws a `UsageError` that names the file and the line. */
export function openYaml(path: string, option: string): Setting {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `${option} cannot be read: "${path}" (${code === 'ENOENT' ? 'there is no such file' : (code ?? 'unknown error')}).`,
    );
  }
  return parseYaml(text, path);
}

/** Parses YAML. Throws a `UsageError` that names the file and the line. */
export function parseYaml(text: string, file: string): Setting {
  if (text.length > FILE_MAX) throw new UsageError(`${file} is larger than 1 MB.`);
  const lines = new LineCounter();
  const document = parseDocument(text.replace(/^\uFEFF/, ''), { lineCounter: lines, prettyErrors: false });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem) {
    const { line } = lines.linePos(problem.pos[0]);
    const [what = ''] = problem.message.split('\n');
    throw new UsageError(
      `${file}, line ${line}: ${/call stack/.test(what) ? 'It is nested too deeply.' : safeText(what)}`,
    );
  }
  return new Setting({ node: document.contents, path: '', line: 1, file, lines });
}

interface SettingSource {
  readonly node: Node | null | undefined;
  /** Its name from the top, such as `rules.clicks-fell.below`; empty for the whole file. */
  readonly path: string;
  /** Where its name is written: a missing field has no line. */
  readonly line: number;
  readonly file: string;
  readonly lines: LineCounter;
}

/** One value of a file. Each way to read it throws a `UsageError` that says what to write. */
export class Setting {
  readonly #source: SettingSource;

  constructor(source: SettingSource) {
    this.#source = source;
    if (isAlias(source.node)) this.fail('is an alias. Write the value itself.');
  }

  /** Ends with a line that names the file, the line and the field. */
  fail(problem: string): never {
    const { file, line, path } = this.#source;
    throw new UsageError(`${file}, line ${line}: ${path === '' ? 'The file' : safeText(path)} ${problem}`);
  }

  /** The values of a mapping by their names, in order. */
  entries(): readonly (readonly [name: string, value: Setting])[] {
    const { node, path, file, lines } = this.#source;
    if (!isMap<Node, Node | null>(node)) return this.fail('must be a mapping, such as "name: value".');
    return node.items.map(({ key, value }) => {
      const line = lines.linePos(key.range?.[0] ?? 0).line;
      const name = isScalar(key) ? String(key.value) : '';
      const source = { node: value, path: path === '' ? name : `${path}.${name}`, line, file, lines };
      if (name === '') new Setting(source).fail('has a name that is not a text.');
      return [name, new Setting(source)] as const;
    });
  }

  /** The values of a mapping in which no other names may be. */
  fields<const Name extends string>(known: readonly Name[]): { readonly [One in Name]?: Setting } {
    const found: Partial<Record<Name, Setting>> = {};
    for (const [name, value] of this.entries()) {
      const one = known.find((other) => other === name);
      if (one === undefined) value.fail(`is not known.${suggest(name, known)}`);
      else found[one] = value;
    }
    return found;
  }

  /** The values of a list; a single value is a list of one. */
  list(): readonly Setting[] {
    const { node, path, line, file, lines } = this.#source;
    if (!isSeq<Node>(node)) return [this];
    return node.items.map((item, index) => {
      const at = item?.range ? lines.linePos(item.range[0]).line : line;
      return new Setting({ node: item, path: `${path}[${index}]`, line: at, file, lines });
    });
  }

  /** A text that is not empty; numbers are texts as they are written. */
  text(): string {
    const { node } = this.#source;
    if (!isScalar(node) || node.value === null) return this.fail('has no value.');
    // `+50%` is a text, but 0.5 and true are not: they are read as they are written.
    const text = typeof node.value === 'string' ? node.value : (node.source ?? '');
    if (text.trim() === '') this.fail('has no value.');
    return text.trim();
  }

  /** One of some words. */
  choice<const Word extends string>(words: readonly Word[]): Word {
    const text = this.text();
    return words.find((word) => word === text) ?? this.fail(`is not known: "${text}".${suggest(text, words)}`);
  }

  /** A whole number within bounds. */
  whole({ min, max }: { readonly min: number; readonly max: number }): number {
    const text = this.text();
    const value = Number(text);
    if (!/^\d{1,12}$/.test(text) || value < min || value > max)
      this.fail(`is not a whole number from ${min.toLocaleString('en')} to ${max.toLocaleString('en')}: "${text}".`);
    return value;
  }

  /** A number, or a number of per cent as a share: `-30%` is -0.3. */
  share(example: string): number {
    const text = this.text();
    const [, sign = '', number = ''] = /^([+\u2212-]?)\s*(\d{1,9}(?:\.\d{1,6})?)\s*%$/.exec(text) ?? [];
    if (number === '') this.fail(`is not a number of per cent: "${text}". Use something like ${example}.`);
    return ((sign === '' || sign === '+' ? 1 : -1) * Number(number)) / 100;
  }

  /** A number with or without decimals. */
  number(example: string): number {
    const text = this.text();
    if (!/^-?\d{1,12}(\.\d{1,6})?$/.test(text)) this.fail(`is not a number: "${text}". Use something like ${example}.`);
    return Number(text);
  }

  /** A date such as 2026-12-25. */
  date(): string {
    const text = this.text();
    return isDate(text) ? text : this.fail(`is not a date: "${text}". Use something like 2026-12-25.`);
  }
}
