import { PREFETCHED_ATTRIBUTE } from '../../wire/offers/prefetched.ts';
import { bad, good, type Finding } from './finding.ts';
import { causeOf, type Gateway } from './openGateway.ts';
import type { PageTags, ScriptTag } from './recordPage.ts';

/** What HTTP alone reveals about a page. */
export interface FetchedPage {
  /** Why there is no response. */
  readonly failure?: string;
  readonly status: number;
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The page's policies: headers and `<meta>`. */
  readonly policies: readonly string[];
  readonly record: PageTags;
}

/** Bytes of a page that are read, and characters of a tag: a hostile page must not keep the doctor busy. */
const HTML_MAX = 2_000_000;
const TAG_MAX = 5_000;
/** Tags of one name that are read. */
const TAGS_MAX = 500;

/** Fetches a page and finds the tags of offerlet in its HTML. A redirect is not followed. */
export async function readPage(url: string, gateway: Gateway): Promise<FetchedPage> {
  try {
    const { status, headers, body } = await gateway.get(url, { page: url, maxBytes: HTML_MAX, accept: 'text/html' });
    const html = withoutComments(Buffer.from(body).toString());
    const header = headers['content-security-policy'];
    const metas = tagsIn(html, 'meta')
      .filter((tag) => /^content-security-policy$/i.test(tag['http-equiv'] ?? ''))
      .map(({ content = '' }) => content);
    return {
      status,
      headers,
      policies: header === undefined ? metas : [header, ...metas],
      record: {
        href: url,
        scripts: scriptsIn(html, url),
        elements: elementsIn(html),
        isPrefetched: tagsIn(html, 'script').some((tag) => PREFETCHED_ATTRIBUTE in tag),
      },
    };
  } catch (error) {
    const record = { href: url, scripts: [], elements: [], isPrefetched: false };
    return { failure: causeOf(error), status: 0, headers: {}, policies: [], record };
  }
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
        target: tag['data-target'] ?? '',
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

/** Says what the page's policies block, as far as that can be read from them. */
export function staticPolicyChecks(
  policies: readonly string[],
  { page, script, relay }: { page: string; script: string | undefined; relay: string | undefined },
): Finding[] {
  const title = 'Content Security Policy';
  if (policies.length === 0) return good(title, 'The page has none.');
  const requests = [
    ...(script === undefined ? [] : [{ directive: 'script-src' as const, url: script }]),
    ...(relay === undefined ? [] : [{ directive: 'connect-src' as const, url: `${relay}/recommendations` }]),
  ];
  const blocked = requests.filter(({ directive, url }) => !isAllowed(policies, { directive, url, page }));
  if (blocked.length === 0) return good(title, 'It allows script and relay, as far as that can be read from it.');
  return blocked.flatMap(({ directive, url }) =>
    bad(title, `It blocks ${url}. Add ${new URL(url).origin} to ${directive}.`),
  );
}

/** What a request for a resource needs from a policy. */
export interface PolicyRequest {
  readonly directive: 'script-src' | 'connect-src';
  readonly url: string;
  readonly page: string;
}

/**
 * Whether Content-Security-Policies allow a request, as far as that can be read from them: only a browser can check a nonce
 * or a hash of a script.
 */
export function isAllowed(policies: readonly string[], { directive, url, page }: PolicyRequest): boolean {
  return policies.every((policy) => {
    const directives = parsePolicy(policy);
    const own = directive === 'script-src' ? directives.get('script-src-elem') : undefined;
    const sources = own ?? directives.get(directive) ?? directives.get('default-src');
    if (sources === undefined) return true;
    const isByNonce = sources.some((source) => /^'(nonce-|sha\d|strict-dynamic)/i.test(source));
    return (directive === 'script-src' && isByNonce) || sources.some((source) => matches(source, { url, page }));
  });
}

function parsePolicy(policy: string): Map<string, readonly string[]> {
  const directives = new Map<string, readonly string[]>();
  // Two headers of the same name arrive joined by a comma. Each is a policy; the stricter directive is checked.
  for (const part of policy.split(/[;,]/)) {
    const [name = '', ...sources] = part.trim().split(/\s+/);
    if (name !== '' && !directives.has(name.toLowerCase())) directives.set(name.toLowerCase(), sources);
  }
  return directives;
}

function matches(source: string, { url, page }: { url: string; page: string }): boolean {
  const target = new URL(url);
  if (source === '*') return /^(https?|wss?):$/.test(target.protocol);
  if (/^'self'$/i.test(source)) return target.origin === new URL(page).origin;
  if (/^[a-z][a-z0-9+.-]*:$/i.test(source)) return target.protocol === source.toLowerCase();
  const [, scheme, host = '', port, path = ''] =
    /^(?:([a-z][a-z0-9+.-]*):\/\/)?([^/:']+)(?::(\d+|\*))?(\/.*)?$/i.exec(source) ?? [];
  if (host === '') return false;
  const isScheme =
    scheme === undefined ? /^https?:$/.test(target.protocol) : `${scheme.toLowerCase()}:` === target.protocol;
  const isHost = host.startsWith('*.')
    ? target.hostname.endsWith(host.slice(1).toLowerCase())
    : target.hostname === host.toLowerCase();
  const isPort = port === '*' || (port === undefined ? '' : portOf(target.protocol, port)) === target.port;
  const isPath = path === '' || (path.endsWith('/') ? target.pathname.startsWith(path) : target.pathname === path);
  return isScheme && isHost && isPort && isPath;
}

/** A port as a URL has it: empty if it is the default of the scheme. */
function portOf(protocol: string, port: string): string {
  return new URL(`${protocol}//host:${port}`).port;
}
