import { SourceMap, type SourceMapPayload } from 'node:module';
import { brotli } from '../../package/bytes.ts';
import { buildScript } from './buildScript.ts';

/** The parts of the script: the first pattern that matches a source file. */
const PARTS: Readonly<Record<string, RegExp>> = {
  Preact: /preact\//,
  'idb-keyval': /idb-keyval\//,
  'style sheet': /^$/,
  'src/widget': /src\/widget\//,
  'src/page': /src\/(page\/|dom\/|script-tag)/,
  'src/session': /src\/session\//,
  'src/queue': /src\/queue\//,
  'src/wire': /src\/wire\//,
};

/** Prints by how many bytes the script gets smaller without the characters of each part. */
export async function printParts(): Promise<void> {
  const { code, map } = await buildScript({ sourcemap: 'hidden' });
  const partOf = partsOf(code, map as unknown as SourceMapPayload);
  const all = brotli(Buffer.from(code));
  console.log(`${'part'.padEnd(30)}${'minified'.padStart(10)}${'brotli'.padStart(10)}`);
  for (const name of [...Object.keys(PARTS), 'what joins them']) {
    const rest = [...code].filter((_, index) => partOf[index] !== name).join('');
    const bytes = all - brotli(Buffer.from(rest));
    console.log(name.padEnd(30) + String(code.length - rest.length).padStart(10) + String(bytes).padStart(10));
  }
  console.log('all'.padEnd(30) + String(code.length).padStart(10) + String(all).padStart(10));
  console.log('The parts are fewer bytes than the file: what two of them have in common goes with neither.');
}

/** Returns the part of every character. */
export function partsOf(code: string, payload: SourceMapPayload): string[] {
  const map = new SourceMap(payload);
  // The style sheet is a string, without a source map.
  const [, , text = ''] = /(["'`])(:host\{(?:\\.|(?!\1).)*)\1/s.exec(code) ?? [];
  const styles = code.indexOf(text);
  // The first line is a comment.
  const start = code.indexOf('\n') + 1;
  return [...code].map((_, index) => {
    if (index >= styles && index < styles + text.length) return 'style sheet';
    if (index < start) return 'what joins them';
    const entry = map.findEntry(start && 1, index - start);
    const source = 'originalSource' in entry ? entry.originalSource : '';
    return Object.keys(PARTS).find((name) => PARTS[name]?.test(source)) ?? 'what joins them';
  });
}
