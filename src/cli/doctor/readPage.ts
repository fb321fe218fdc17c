import { CARD_ATTRIBUTE, PREFETCHED_ATTRIBUTE } from '../../wire/offers/prefetched.ts';
import { base64Hash } from '../integrityCommand.ts';
import { bad, good, type Finding } from './finding.ts';
import { describeCause, type Gateway } from './openGateway.ts';
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
  /** Offers that stand in the HTML. */
  readonly card?: Card | undefined;
}

interface Card {
  /** Whether the page says nothing else of the session that it belongs to. */
  readonly isAlone: boolean;
  /** The style sheet in it. */
  readonly css?: string | undefined;
  /** The absolute URL of its style sheet. */
  readonly href?: string | undefined;
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
    return readHtml(Buffer.from(body).toString(), { url, status, headers });
  } catch (error) {
    const record = { href: url, scripts: [], elements: [], isPrefetched: false };
    return { failure: describeCause(error), status: 0, headers: {}, policies: [], record };
  }
}

/** Reads what a page that has arrived says about offerlet. */
export function readHtml(
  text: string,
  { url, status, headers }: Pick<FetchedPage, 'status' | 'headers'> & { url: string },
): FetchedPage {
  const html = withoutComments(text);
  const header = headers['content-security-policy'];
  const metas = tagsIn(html, 'meta')
    .filter((tag) => /^content-security-policy$/i.test(tag['http-equiv'] ?? ''))
    .map(({ content = '' }) => content);
  const card = cardIn(html, url);
  return {
    status,
    headers,
    policies: header === undefined ? metas : [header, ...metas],
    record: {
      href: url,
      scripts: scriptsIn(html, url),
      elements: elementsIn(html),
      isPrefetched: card !== undefined || tagsIn(html, 'script').some((tag) => PREFETCHED_ATTRIBUTE in tag),
    },
    card,
  };
}

/** The start of a card, as `renderOffers` writes it. */
const CARD = new RegExp(`${CARD_ATTRIBUTE}="([^"<>]{1,300})"[^<>]{0,200}>\\s{0,200}<template[^<>]{0,200}>`);

function cardIn(html: string, base: string): Card | undefined {
  const start = CARD.exec(html);
  if (!start) return undefined;
  const [all, session = ''] = start;
  const rest = html.slice(start.index + all.length, start.index + HTML_MAX / 10);
  const [, css] = /^\s{0,200}<style[^<>]{0,200}>(.*?)<\/style/s.exec(rest) ?? [];
  const [{ href } = {}] = css === undefined ? tagsIn(rest, 'link') : [];
  return {
    isAlone: html.indexOf(session) === html.lastIndexOf(session),
    css,
    href: href !== undefined && URL.canParse(href, base) ? new URL(href, base).href : undefined,
  };
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

/** Checks that the policies allow the style sheet of offers in the HTML, and that their block is on the page as well. */
export function cardChecks({ card, policies, record: { href: page } }: FetchedPage): Finding[] {
  const title = 'Offers in the HTML';
  if (!card) return [];
  const { css, href, isAlone } = card;
  if (isAlone)
    return bad(
      title,
      'Their block is not on the page, so they leave when the script comes. Write html and script of the same offers.',
    );
  const isSeen =
    css === undefined
      ? href !== undefined && isAllowed(policies, { directive: 'style-src', url: href, page })
      : policies.every((policy) => allowsInline(policy, css));
  if (isSeen) return good(title, 'They belong to the block on the page, and its policy allows their style sheet.');
  const source = css === undefined ? (href ?? 'the URL of offerlet.css') : `'sha256-${base64Hash('sha256', css)}'`;
  return bad(
    title,
    `The policy blocks their style sheet: nothing is seen before the script. Add ${source} to style-src.`,
  );
}

function allowsInline(policy: string, css: string): boolean {
  const directives = parsePolicy(policy);
  const sources = directives.get('style-src-elem') ?? directives.get('style-src') ?? directives.get('default-src');
  const hashes = sources?.filter((source) => /^'(nonce-|sha\d)/i.test(source));
  const isHashed = hashes?.some((source) => {
    const [, algorithm = '', hash] = /^'(sha256|sha384|sha512)-(.*)'$/.exec(source) ?? [];
    return algorithm !== '' && base64Hash(algorithm, css) === hash;
  });
  return isHashed !== false || (hashes?.length === 0 && sources?.includes("'unsafe-inline'") === true);
}

/** What a request for a resource needs from a policy. */
export interface PolicyRequest {
  readonly directive: 'script-src' | 'connect-src' | 'style-src';
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
    const sources = directives.get(`${directive}-elem`) ?? directives.get(directive) ?? directives.get('default-src');
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
  // As a URL has it: empty if it is the default of the scheme.
  const isPort =
    port === '*' || (port === undefined ? '' : new URL(`${target.protocol}//host:${port}`).port) === target.port;
  const isPath = path === '' || (path.endsWith('/') ? target.pathname.startsWith(path) : target.pathname === path);
  return isScheme && isHost && isPort && isPath;
}
