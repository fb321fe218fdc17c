import { EVENT_NAMES } from '../wire/events/wireEvent.ts';
import { isObject, own, parseJson } from '../wire/json.ts';
import { oneOf } from '../wire/oneOf.ts';

/** The parts of a request by which the kit recognizes one of offerlet's. */
export interface RequestParts {
  readonly url: string;
  readonly method: string;
  /** Reads the body. */
  text(): Promise<string>;
}

/** Whether a request is one that offerlet sends to its relay, wherever that is mounted. A shop may have a path `/recommendations` of its own. */
export async function isForRelay(request: RequestParts): Promise<boolean> {
  const { url, method } = request;
  const { pathname } = new URL(url);
  const isOffers = pathname.endsWith('/recommendations');
  if (!isOffers && !/\/events(\/batch)?$/.test(pathname)) return false;
  if (method === 'OPTIONS') return true;
  if (method !== 'POST') return false;
  const json = parseJson(await request.text());
  if (isOffers) return isObject(own(json, 'placement_details'));
  const events: unknown = own(json, 'events') ?? [json];
  return Array.isArray(events) && events.some((event) => oneOf(EVENT_NAMES, own(event, 'event_name')) !== undefined);
}
