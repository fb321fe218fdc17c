import type { Explanation, PageEvent } from '../session/openTrace.ts';
import { own, plainText } from '../wire/json.ts';
import { readRecommendations } from '../wire/offers/readRecommendations.ts';
import type { RequestRecord } from './observePage.ts';
import type { InspectedMount } from './openMounts.ts';

/** Returns the options that a mount is shown with as text, without personal data. */
export function describeOptions({ handle: { options, mount } }: InspectedMount): Record<string, string> {
  const { relay, target, sandbox, consent } = options;
  const { response } = mount.explain();
  // The page's options are not checked yet.
  const placement = options.request?.placement_details as { view?: string; display_mode?: string } | undefined;
  return {
    relay: relay || 'missing',
    view: placement?.view ?? 'missing',
    display_mode: placement?.display_mode ?? 'missing',
    target: typeof target === 'string' ? target : target ? `<${target.localName}>` : 'none',
    'sandbox (option)': sandbox ? 'yes' : 'no',
    'sandbox (response)': response ? (response.isSandbox ? 'yes' : 'no') : 'no response yet',
    theme: options.theme ?? 'auto',
    locale: options.locale ?? 'from the page',
    maxOffers: String(options.maxOffers ?? 'all'),
    consent:
      typeof consent === 'function'
        ? (consent.source ?? 'a function')
        : consent instanceof Promise
          ? 'pending'
          : String(consent ?? 'not set'),
  };
}

function describeConsent({ isGiven, by, at }: NonNullable<Explanation['consent']>): string {
  return `Consent: ${isGiven ? 'yes' : 'no'}, by ${by}, at ${at.slice(11, 19)} UTC.`;
}

/** Says where the offers came from when the inspector saw no request for them. */
export function describeUnseenRequest(
  { body }: InspectedMount,
  explanation: Explanation | undefined,
  requests: readonly RequestRecord[],
): string | undefined {
  if (!body || requests.some(({ path }) => path.endsWith('/recommendations'))) return undefined;
  if (explanation?.response?.isPrefetched) return 'prefetched by the server: the page requested nothing';
  return explanation?.response?.isRemembered
    ? 'remembered from an earlier page load of this order: nothing was requested'
    : 'requested before the inspector was loaded';
}

/** Says in sentences who decided on consent, what was requested, and what came of it. */
export function describeRequest({ handle, json }: InspectedMount, explanation: Explanation): string[] {
  const { consent, request, response, prefetched } = explanation;
  const sentences: string[] = [];
  if (consent) sentences.push(describeConsent(consent));
  if (request) {
    const shopper = request.user_details.join(', ') || 'nothing on the page (the relay may know the shopper)';
    sentences.push(
      `Requested from ${request.relay} for ${request.view} in ${request.display_mode}; the shopper is identified by ${shopper}.`,
      request.isRemembering
        ? 'The order has an order_id: its response is remembered for a day.'
        : 'The order has no order_id: every page load requests again.',
    );
  }
  if (prefetched && !response?.isPrefetched) sentences.push(`Prefetched by the server: ${endWithStop(prefetched)}`);
  if (response) {
    const source = response.isRemembered
      ? 'Remembered from an earlier page load'
      : response.isPrefetched
        ? 'Prefetched by the server'
        : 'Received';
    sentences.push(
      `${source}: ${response.offers} ${response.offers === 1 ? 'offer' : 'offers'}, session ${response.session_id}.`,
    );
    const { maxOffers = Infinity } = handle.options;
    const received = countOffers(json);
    if (received > maxOffers) sentences.push(`Shown are ${maxOffers} of ${received} offers, because of maxOffers.`);
    if (!response.isCounted)
      sentences.push('The browser identifies itself as a bot: the offers are shown, not counted.');
  }
  return sentences;
}

/** Returns how many offers of a response can be shown. */
function countOffers(json: unknown): number {
  const read = readRecommendations(json, { allowLoopback: true });
  return read.ok ? read.value.groups.reduce((sum, { offers }) => sum + offers.length, 0) : 0;
}

/** Names an offer as people do, by its heading and advertiser in a response; by its id where those are missing. */
export function nameOffer(id: string, json: unknown): string {
  const found = own(own(json, 'recommendations'), id);
  const heading = plainText(own(own(found, 'offer'), 'heading'), NAME_MAX);
  const advertiser = plainText(own(own(found, 'advertiser'), 'name'), NAME_MAX);
  return [heading ? `“${heading}”` : `offer ${id}`, advertiser && `of ${advertiser}`].filter(Boolean).join(' ');
}

/** Characters of a name that are shown. */
const NAME_MAX = 80;

/** Describes one event of a mount in a sentence. `json` is the response that names its offers. */
export function describeEvent(event: PageEvent, json: unknown): string {
  return endWithStop(describe(event, json));
}

/** Ends a text with exactly one full stop: foreign text may have its own. */
export function endWithStop(text: string): string {
  return text.replace(/\.*$/, '.');
}

function describe(event: PageEvent, json: unknown): string {
  switch (event.type) {
    case 'tracked':
      return `${event.event.event_name} tracked`;
    case 'delivered':
      return `${event.count} delivered`;
    case 'retried':
      return `${event.count} kept for another try: ${event.reason}`;
    case 'paused':
      return `Sending is paused: ${event.reason}`;
    case 'dropped':
      return `${event.count} dropped: ${event.reason}`;
    case 'deadLetter':
      return `${event.event.event_name} will never be accepted: ${event.reason}`;
    case 'leftOut':
      return `Left out: ${nameOffer(event.offer_id, json)}: ${event.reason}`;
    case 'dismiss':
      return `Closed by ${event.by}`;
    case 'footer':
      return `The ${event.link} link in the footer was opened`;
    case 'error':
      return `Error: ${event.reason}`;
    case 'outcome':
      return `The outcome is ${event.code}`;
    case 'display':
    case 'view':
    case 'click':
    case 'decline':
    case 'next':
    case 'back':
    case 'copy':
    case 'product':
      return `${event.type} of ${nameOffer(event.offer_id, json)}`;
  }
}
