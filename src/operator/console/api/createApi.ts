import { ChannelClient } from '../../clients/ChannelClient.ts';
import { ReportingClient } from '../../clients/ReportingClient.ts';
import type { ReportVariant } from '../../clients/reportQuery.ts';
import { readKey } from '../../../wire/keys.ts';
import type { ConsoleOptions } from '../consoleOptions.ts';
import type { Session } from '../protocol.ts';
import {
  findPublishers,
  listPublishers,
  readExclusionChange,
  readItems,
  readPublisher,
  replaceExclusions,
} from './channelRoutes.ts';
import { failureOf } from './failureOf.ts';
import { readBody } from './readBody.ts';
import { readWholeReport } from './readWholeReport.ts';

/** Milliseconds between two reads of a report that includes today. */
const REFRESH_MS = 60_000;
/**
 * What looks like a key that must never reach a browser. It is replaced, not refused: shoppers choose some names, such as
 * a widget's id, and could otherwise keep the operator from a report. The rest of the JSON stays unchanged.
 */
const LIKE_A_KEY = /adnet_(sk|rk|rp)_[^"\\\s]*/g;

/** Creates the part of the console that calls the network with the key. Takes the path below `api/`. */
export function createApi(options: ConsoleOptions): (request: Request, path: string) => Promise<Response> {
  const { network, apiKey, variant = 'channel' } = options;
  // The page shows failures and repeats calls by itself, so that nobody waits without knowing why.
  const shared = { baseUrl: network, apiKey, maxRetries: 0, fetch: options.fetch };
  const channel = new ChannelClient(shared);
  const reporting = new ReportingClient<ReportVariant>({ ...shared, variant });

  async function session(signal: AbortSignal): Promise<Session> {
    const isChannel = variant === 'channel';
    return {
      network: new URL(network).host,
      network_url: new URL(network).href.replace(/\/+$/, ''),
      environment: readKey(apiKey)?.environment ?? null,
      variant,
      channel: isChannel ? (await channel.details({ signal })).name : null,
      refresh_ms: options.refresh ?? REFRESH_MS,
    };
  }

  async function call(request: Request, path: string): Promise<unknown> {
    const { signal } = request;
    const url = new URL(request.url);
    const id = publisherOf(path);
    switch (`${request.method} ${id === undefined ? path : path.replace(/^publishers\/[^/]+/, 'publishers/ID')}`) {
      case 'GET session':
        return session(signal);
      case 'GET report':
        return readWholeReport(reporting, { url, signal });
      case 'GET categories':
        return { categories: await channel.categories({ signal }) };
      case 'GET exclusions':
        return (await channel.details({ signal })).exclusions.subcategories;
      case 'GET publishers':
        return listPublishers(channel, { url, signal });
      case 'GET find-publishers':
        return findPublishers(channel, { url, signal });
      case 'GET publishers/ID':
        return readPublisher(channel, id ?? '', signal);
      // Changes are not cancelled when the page goes away: whether they took effect would be unknown.
      case 'POST publishers':
        return { results: await channel.add(readItems(await readBody(request))) };
      case 'DELETE publishers/ID':
        return channel.remove(id ?? '').then(() => ({ ok: true }));
      case 'PUT exclusions':
      case 'PUT publishers/ID/exclusions': {
        const change = readExclusionChange(await readBody(request));
        if (await replaceExclusions(channel, { ...change, publisher: id, signal })) return { ok: true };
        return json({ code: 'changed', message: 'Somebody has changed these exclusions meanwhile.' }, 409);
      }
      default:
        return json({ code: 'not_found', message: 'This call does not exist.' }, 404);
    }
  }

  return async (request, path) => {
    const response = await call(request, path).then(
      (result) => (result instanceof Response ? result : json(result)),
      (error: unknown) => {
        const { status, failure } = failureOf(error);
        return json(failure, status);
      },
    );
    // Nothing above returns a key. Should that change, no response is better than a key.
    const body = await response.text();
    if (body.toLowerCase().includes(apiKey.toLowerCase()))
      return json({ code: 'failed', message: 'The response contains a key, which must not reach a browser.' }, 502);
    return new Response(body.replace(LIKE_A_KEY, '[key]'), response);
  };
}

function json(body: unknown, status = 200): Response {
  return Response.json(body, { status });
}

function publisherOf(path: string): string | undefined {
  const segment = /^publishers\/([^/]+)(?:\/exclusions)?$/.exec(path)?.[1];
  try {
    return segment === undefined ? undefined : decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
