import { readStart } from '../readStart.ts';
import type { PageRecord, ScriptTag } from './recordPage.ts';

/** What HTTP alone tells about a page. */
export interface FetchedPage {
  /** Why there is no response. */
  readonly failure?: string;
  readonly status: number;
  /** The page's policies: headers and `<meta>`. */
  readonly policies: readonly string[];
  readonly record: Pick<PageRecord, 'href' | 'scripts' | 'elements'>;
}

/** Milliseconds for one request. */
export const FETCH_MS = 10_000;

/** Bytes of a page that are read, and characters of a tag: a hostile page must not keep the doctor busy. */
const HTML_MAX = 2_000_000;
const TAG_MAX = 5_000;
/** Tags of one name that are read. */
const TAGS_MAX = 500;

/** Fetches a page and finds the tags of offerlet in its HTML. */
export async function readPage(url: string): Promise<FetchedPage> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(FETCH_MS), headers: { accept: 'text/html' } });
    const html = withoutComments(await readStart(response, HTML_MAX));
    const header = response.headers.get('content-security-policy');
    const metas = tagsIn(html, 'meta')
      .filter((tag) => /^content-security-policy$/i.test(tag['http-equiv'] ?? ''))
      .map(({ content = '' }) => content);
    const href = response.url || url;
    return {
      status: response.status,
      policies: header === null ? metas : [header, ...metas],
      record: { href, scripts: scriptsIn(html, href), elements: elementsIn(html) },
    };
  } catch (error) {
    const record = { href: url, scripts: [], elements: [] };
    return { failure: reasonOf(error), status: 0, policies: [], record };
  }
}

/** Returns why a request failed: the cause, where `fetch` only says that it failed. */
export function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error ? cause.message || String(cause) : String(cause);
}

type Tag = Readonly<Record<string, string | undefined>>;

function scriptsIn(html: string, base: string): ScriptTag[] {
  return tagsIn(html, 'script').flatMap((tag) => {
    const { src = '' } = tag;
    if (!/\/?offerlet(\.min)?\.js([?#]|$)/.test(src) || !URL.canParse(src, base)) return [];
    return [
      {
        src: new URL(src, base).href,
        integrity: tag['integrity'] ?? '',
        crossorigin: tag['crossorigin'] !== undefined,
        relay: tag['data-relay'] ?? '',
        mode: tag['data-display-mode'] ?? '',
      },
    ];
  });
}

function elementsIn(html: string): { relay: string; mode: string }[] {
  return tagsIn(html, 'offer-let').map((tag) => ({ relay: tag['relay'] ?? '', mode: tag['display-mode'] ?? '' }));
}

/** The attributes of every tag with a name. */
function tagsIn(html: string, name: string): Tag[] {
  const starts = [...html.matchAll(new RegExp(`<${name}(?=[\\s/>])`, 'gi'))].slice(0, TAGS_MAX);
  return starts.flatMap(({ index }) => {
    const rest = html.slice(index + name.length + 1, index + TAG_MAX);
    const [, text] = /^((?:[^>"']|"[^"]*"|'[^']*')*)>/.exec(rest) ?? [];
    return text === undefined ? [] : [attributesIn(text)];
  });
}

function attributesIn(text: string): Tag {
  const found = text.matchAll(/([^\s=/"'>]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g);
  return Object.fromEntries(
    [...found].map(([, key = '', double, single, bare]) => [key.toLowerCase(), decode(double ?? single ?? bare ?? '')]),
  );
}

function withoutComments(html: string): string {
  const parts: string[] = [];
  for (let at = 0; at < html.length;) {
    const start = html.indexOf('<!--', at);
    parts.push(html.slice(at, start < 0 ? undefined : start));
    const end = start < 0 ? -1 : html.indexOf('-->', start);
    if (end < 0) break;
    at = end + 3;
  }
  return parts.join('');
}

function decode(text: string): string {
  return text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&amp;', '&');
}
