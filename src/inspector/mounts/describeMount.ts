import type { Explanation } from '../../session/openTrace.ts';
import type { RequestRecord } from '../observe/recordRequests.ts';
import type { InspectedMount } from './inspectedMount.ts';

/** Returns a mount's options as text, without personal data. */
export function describeOptions({ ownOptions, handle }: InspectedMount): Record<string, string> {
  const { options, offers } = handle;
  const { relay, target, sandbox, consent } = ownOptions;
  const { response } = offers.explain();
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

/** Says who decided on consent, and when. */
export function describeConsent({ isGiven, by, at }: NonNullable<Explanation['consent']>): string {
  return `Consent: ${isGiven ? 'yes' : 'no'}, by ${by}, at ${at.slice(11, 19)} UTC.`;
}

/** Says where the offers came from when the inspector saw no request for them. */
export function describeUnseenRequest(
  { body }: InspectedMount,
  explanation: Explanation | undefined,
  requests: readonly RequestRecord[],
): string | undefined {
  if (!body || requests.some(({ path }) => path.endsWith('/recommendations'))) return undefined;
  return explanation?.response?.isRemembered
    ? 'remembered from an earlier page load of this order: nothing was requested'
    : 'requested before the inspector was loaded';
}
