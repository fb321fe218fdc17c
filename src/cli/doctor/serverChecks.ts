import { own, parseJson, isObject } from '../../wire/json.ts';
import { readError } from '../../wire/errors.ts';
import { base64Hash, integrityValue } from '../integrityCommand.ts';
import { bad, good, note, type Finding } from './finding.ts';
import { describeCause, hostAndPort, type Gateway } from './openGateway.ts';
import type { FetchedPage } from './readPage.ts';
import type { ScriptTag } from './recordPage.ts';
import type { LoadedFile, Visit } from './visitPage.ts';

/** Bytes of a response to `/health` that are read: no relay sends more. */
const HEALTH_MAX = 1_000_000;

/** Checks that the file of a script tag is the one that the page expects. */
export function fileChecks(
  { src, integrity, crossorigin }: ScriptTag,
  { file, failure, page }: { file: LoadedFile | undefined; failure: string | undefined; page: string },
): Finding[] {
  const wrong = (...sentences: string[]): Finding[] => bad('Script file', ...sentences);
  if (!file || file.status === 0) return wrong(`${src} cannot be loaded (${failure ?? 'no response'})`);
  const { status, body, isTooLong } = file;
  const type = (file.headers['content-type'] ?? '').slice(0, 100);
  if (status >= 300 && status < 400) return wrong(`${src} redirects. Write the URL that it leads to in src`);
  if (status < 200 || status > 299) return wrong(`${src} returns ${status}`, 'Upload the file there, or correct src');
  if (!/javascript|ecmascript/i.test(type))
    return wrong(
      `${src} has the content type "${type}" instead of text/javascript`,
      'It may be an error page, or the server must send the right type',
    );
  if (isTooLong)
    return wrong(`${src} is larger than 1 MB: it is not offerlet.js`, 'Upload the file there, or correct src');
  const title = 'Integrity';
  if (!body) return note(title, `${src} was not read to its end.`);
  const isForeign = new URL(src).origin !== new URL(page).origin;
  const value = integrityValue(body);
  if (integrity === '')
    return isForeign
      ? note(
          title,
          `The file comes from another origin and is not pinned. Add integrity="${value}" crossorigin="anonymous".`,
        )
      : good(title, 'Not pinned, and not necessary: the file comes from the page’s own origin.');
  const isRight = integrity.split(/\s+/).some((one) => {
    const [, algorithm = '', hash = ''] = /^(sha256|sha384|sha512)-([^?]+)/.exec(one) ?? [];
    return algorithm !== '' && base64Hash(algorithm, body) === hash;
  });
  if (!isRight)
    return bad(
      title,
      'The file is not the one that integrity names, so browsers refuse it.',
      `If you have updated the file, write integrity="${value}".`,
    );
  if (isForeign && !crossorigin)
    return bad(
      title,
      'integrity needs crossorigin="anonymous" on a file of another origin; browsers refuse it otherwise.',
    );
  return good(title, 'The file is the one that integrity names.');
}

/** Checks that the relay responds where the page looks for it, and what it says about itself. */
export async function relayChecks(
  gateway: Gateway,
  { relay, page }: { relay: string | undefined; page: string },
): Promise<Finding[]> {
  const title = 'Relay';
  if (relay === undefined)
    return note(title, 'The page does not say where its relay is. Name it with --relay to have it checked.');
  const url = `${relay}/health`;
  const { origin } = new URL(page);
  try {
    const { status, headers, body } = await gateway.get(url, { page, maxBytes: HEALTH_MAX });
    const json = parseJson(Buffer.from(body).toString());
    if (status === 403 && new URL(relay).origin !== origin)
      return bad(title, `${relay} does not allow ${origin}. Add it to allowedOrigins.`);
    if (status >= 300 && status < 400)
      return bad(
        title,
        `${url} redirects (${status})${headers['location'] ? ` to ${headers['location'].slice(0, 200)}` : ''}`,
        'Pages do not follow redirects with what they send: name the URL that it leads to.',
      );
    if (status < 200 || status > 299) return bad(title, `${url} returns ${status}`, adviceOn(status));
    if (own(json, 'status') !== 'ok')
      return bad(
        title,
        `${url} returns ${status}, but it is not a relay.`,
        'Mount the relay there, or correct the path on the page.',
      );
    if (own(json, 'network') === 'failing')
      return bad(title, `${url} responds, but the network behind it keeps failing. See the log of the relay.`);
    return [...good(title, `${url} returns ${status}.`), ...environmentChecks(json)];
  } catch (error) {
    if (gateway.refused.has(hostAndPort(url)))
      return bad(
        title,
        `${url} was not requested: ${describeCause(error)}`,
        'If that is what you want, allow it with --relay.',
      );
    return bad(title, `${url} does not respond (${describeCause(error)}). Check that the relay is up.`);
  }
}

function adviceOn(status: number): string {
  if (status === 404) return 'Mount the relay there, or correct the path on the page.';
  if (status === 401 || status === 403) return 'Something in front of the relay asks who is calling: let /health pass.';
  if (status === 429) return 'Something in front of the relay limits requests. Try again later.';
  return 'See its log.';
}

function environmentChecks(health: unknown): Finding[] {
  const environment = own(health, 'environment');
  const isSandbox = own(health, 'sandbox') === true;
  const where =
    typeof environment === 'string'
      ? `The relay is for ${environment.slice(0, 40)}`
      : 'The relay does not name its environment';
  return isSandbox || environment === 'staging'
    ? note(
        'Environment',
        `${where}${isSandbox ? ' and in sandbox mode' : ''}: its offers are tests, and nothing is paid for.`,
      )
    : good('Environment', `${where}.`);
}

/** Checks what the relay, and the network behind it, have responded to the page's request for offers. */
export function keyChecks(offers: LoadedFile | undefined): Finding[] {
  if (!offers) return [];
  const title = 'Network and key';
  const { url, status, body } = offers;
  const json = parseJson(Buffer.from(body ?? []).toString());
  // Without a body, whether it could be read is part of the outcome.
  if (status === 200 && (isObject(json) || !body))
    return good(title, 'The network accepts the key of the relay and returns offers.');
  const { message, fields } = readError(status, json);
  if (status === 401 || status === 403)
    return bad(
      title,
      `The request for offers was refused with ${status}: ${message}`,
      'Check the key of the relay: a test key belongs to a staging network, a live key to a production network.',
    );
  return bad(title, `The request for offers returned ${status}: ${message}`, adviceOnOffers());

  function adviceOnOffers(): string {
    if (status === 404)
      return `Nothing is at the path ${new URL(url).pathname}: correct it on the page, or have your server pass it on to the relay as well.`;
    if (status === 429)
      return 'A limit was reached: raise rateLimit of the relay, or the one in front of it, or try again later.';
    if (status === 413) return 'The page sends more than the relay accepts: leave out what offers do not need.';
    if (status === 502)
      return 'See the log of the relay. If the response of the network could not be understood, offerlet-sandbox verify says which rules of the contract the network breaks.';
    if (status >= 500) return 'See the log of the relay.';
    const names = [...new Set(fields.map(({ path }) => path).filter(Boolean))].slice(0, 5).join(', ');
    return names
      ? `Correct ${names} on the page or in the context of the relay.`
      : 'Correct what the page or the server sends.';
  }
}

/** Says what became of offers that the page's server has prefetched. */
export function prefetchChecks({ record, prefetched }: Pick<Visit, 'record' | 'prefetched'>): Finding[] {
  const title = 'Prefetch';
  if (!record?.isPrefetched && prefetched.length === 0) return [];
  if (prefetched.includes('Used')) return good(title, 'The offers that the server has prefetched were used.');
  const [why = 'No offers on this page looked for them.'] = prefetched;
  return note(title, 'The offers that the server has prefetched were not used.', why.replace(/^Not used\. /, ''));
}

/** Reports a page that a cache may give to other shoppers, or has. */
export function cacheChecks({ headers, record }: Pick<FetchedPage, 'headers' | 'record'>): Finding[] {
  const title = 'Cache';
  const control = headers['cache-control'] ?? '';
  const isPrivate = /(^|[\s,])(no-store|private)\b/i.test(control);
  const isRevalidated = /(^|[\s,])(no-cache\b|(s-maxage|max-age)=0)/i.test(control);
  const isShared = !isPrivate && !isRevalidated && /(^|[\s,])(public\b|s-maxage=|max-age=)/i.test(control);
  const cached = cacheOf(headers);
  const advice = 'Send "Cache-Control: private, no-store" with this page.';
  const said = control === '' ? 'is missing' : `is "${control.slice(0, 200)}"`;
  if (record.isPrefetched) {
    const danger = 'The page contains prefetched offers, which are for one shopper only';
    if (cached) return bad(title, `${danger}, and it came from a cache (${cached})`, advice);
    if (!isPrivate) return bad(title, `${danger}. Its Cache-Control ${said}, so a cache may give it to others`, advice);
    return good(title, `No cache shares the prefetched offers: Cache-Control ${said}.`);
  }
  const why = 'If its HTML names the order or the shopper, others get them.';
  if (cached) return note(title, `This page came from a cache (${cached}).`, why, advice);
  return isShared ? note(title, `Shared caches may store this page: Cache-Control ${said}.`, why, advice) : [];
}

/** What says that a response came from a shared cache. */
function cacheOf(headers: Readonly<Record<string, string>>): string | undefined {
  const age = headers['age'];
  if (age !== undefined && Number(age) > 0) return `Age: ${Number(age)}`;
  const name = ['cache-status', 'cf-cache-status', 'x-cache', 'x-vercel-cache'].find((one) =>
    /(^|[;,\s])hit\b/i.test(headers[one] ?? ''),
  );
  return name && `${name}: ${(headers[name] ?? '').slice(0, 100)}`;
}
