import { isObject, parseJson, readId } from '../../wire/json.ts';

/** What an advertiser's server must know of a click to report a conversion. */
export interface Click {
  readonly session_id: string;
  readonly offer_id: string;
  readonly advertiser_id: string;
  readonly insertion_id: string;
}

/** The query parameter of a `target_url` that names the click. See docs/project/wire.md#the-sandboxs-click-reference. */
export const CLICK_REFERENCE = 'click_ref';

/** Returns a target URL with the reference of the click that opens it. */
export function withClickReference(
  target: string,
  { session_id, offer_id, advertiser_id, insertion_id }: Click,
): string {
  if (!URL.canParse(target)) return target;
  const url = new URL(target);
  const ids = JSON.stringify([session_id, offer_id, advertiser_id, insertion_id]);
  url.searchParams.set(CLICK_REFERENCE, Buffer.from(ids).toString('base64url'));
  return url.href;
}

/** Reads a reference. Returns `undefined` when it is not one. Whether the click is known is for the network to say. */
export function readClickReference(text: string | null): Click | undefined {
  const ids = parseJson(Buffer.from(text ?? '', 'base64url').toString());
  if (!Array.isArray(ids) || isObject(ids)) return undefined;
  const [session_id, offer_id, advertiser_id, insertion_id] = ids.map(readId);
  return session_id && offer_id && advertiser_id && insertion_id
    ? { session_id, offer_id, advertiser_id, insertion_id }
    : undefined;
}
