import { connect, refuseOption, type CallOptions, type ClientOptions, type Connection } from '../http/connect.ts';
import { readIntegrationKey, readVersion } from '../http/networkAccess.ts';
import { onceId, type BrandProperties, type ConversionProperties, type EventName } from '../wire/events.ts';
import { hashEmail } from '../wire/hash.ts';
import { problemsText } from '../wire/json.ts';
import { isLoopbackHost, refuseBrowser } from '../wire/keys.ts';
import { RESPONSE_MAX_BYTES } from '../wire/limits.ts';
import { parseRecommendationRequest } from '../wire/offers/parseRecommendationRequest.ts';
import { readRecommendations } from '../wire/offers/readRecommendations.ts';
import type { IdentifiedRequest } from '../wire/offers/request.ts';
import type { Footer, LeftOut, PlacedGroup, PlacedOffer, SafeResponse } from '../wire/offers/response.ts';
import {
  createEventReporter,
  readReportable,
  type EventReport,
  type EventReporter,
  type ReportableEvent,
  type ReportOptions,
} from './reportEvents.ts';

/** The options of a `RecommendationsClient`. */
export interface RecommendationsClientOptions extends ClientOptions {
  /** The version of the Recommendations API that you tested with, such as `1.0.0`. */
  readonly version: string | undefined;
}

/** An offer in its place, with the events to pass to `report` when they happen. */
export interface RecommendedOffer extends PlacedOffer {
  readonly report: { readonly display: ReportableEvent; readonly click: ReportableEvent };
}

/** A group of offers, in the order in which they are to be shown. */
export interface RecommendedGroup extends Omit<PlacedGroup, 'offers'> {
  readonly offers: readonly RecommendedOffer[];
}

/** What can be shown to one shopper: copy is plain text, and every URL is safe to open. */
export interface Recommendations {
  readonly session_id: string;
  readonly groups: readonly RecommendedGroup[];
  /** The offers of all groups, in order. */
  readonly offers: readonly RecommendedOffer[];
  readonly footer: Footer;
  /** Whether the session is a test, which never earns. */
  readonly sandbox: boolean;
  /** Offers that cannot be shown, and why. */
  readonly leftOut: readonly LeftOut[];
  /** The events of the whole: `load` when the offers have arrived, `display` when any of them is first shown. */
  readonly report: { readonly load: ReportableEvent; readonly display: ReportableEvent };
}

/** A sale that followed a click. */
export interface Conversion extends ConversionProperties {
  readonly session_id: string;
  /** What was clicked: an offer of `recommend`, or the three ids that your network passes on with a click. */
  readonly insertion: BrandProperties;
  /** RFC 3339; now by default. */
  readonly event_datetime?: string | undefined;
}

const ENTRY = 'offerlet/client';
refuseBrowser(ENTRY);

/** Client of the Ad Recommendations API: offers for one shopper, and what became of them. */
export class RecommendationsClient {
  readonly #call: Connection;
  readonly #reporter: EventReporter;
  /** A network on this machine has its pages there as well. */
  readonly #allowLoopback: boolean;

  constructor(options: RecommendationsClientOptions) {
    readIntegrationKey(options.apiKey, refuseOption);
    const version = readVersion(options.version, refuseOption);
    const maxBytes = RESPONSE_MAX_BYTES;
    this.#call = connect(options, { entry: ENTRY, example: 'https://partner.example', maxBytes, headers: { version } });
    this.#reporter = createEventReporter(this.#call, options.maxRetries);
    this.#allowLoopback = isLoopbackHost(new URL(options.networkUrl ?? '').hostname);
  }

  /** Returns offers for one shopper. An `email` is hashed before it is sent. Throws a `TypeError` when the request is not valid. */
  async recommend(request: IdentifiedRequest, { signal, timeout }: CallOptions = {}): Promise<Recommendations> {
    const parsed = parseRecommendationRequest(request);
    if (!parsed.ok) throw new TypeError(`The request is not valid: ${problemsText(parsed.problems)}.`);
    const { email, ...user } = parsed.value.user_details;
    const user_details = email === undefined ? user : { ...user, email_hash: await hashEmail(email) };
    const body = { ...parsed.value, user_details };
    const call = { method: 'POST', path: '/recommendations', body, signal, timeout } as const;
    const { json, unexpected } = await this.#call(call);
    const read = readRecommendations(json, { allowLoopback: this.#allowLoopback });
    if (!read.ok) throw unexpected('recommendations with a session_id');
    return reportable(read.value);
  }

  /** Reports one event. Resolves to what became of it; rejects when the network refuses the call as a whole. */
  async report(event: ReportableEvent, options: ReportOptions = {}): Promise<EventReport> {
    const [report] = await this.#reporter([event], { ...options, isSingle: true });
    return report as EventReport;
  }

  /**
   * Reports any number of events, 20 at a time, and only those again that were not accepted. Resolves to one report for each,
   * in order; rejects when the network refuses a call as a whole, after `onReport` was called for each of them.
   */
  async reportAll(events: readonly ReportableEvent[], options: ReportOptions = {}): Promise<readonly EventReport[]> {
    if (!Array.isArray(events)) throw new TypeError('events must be an array of events.');
    return this.#reporter(events, options);
  }

  /**
   * Reports a sale. It counts once, however often its `conversion_id` is reported. Throws a `TypeError` when the conversion is
   * not valid, such as an amount without its currency.
   */
  async reportConversion(conversion: Conversion, options: ReportOptions = {}): Promise<EventReport> {
    const { session_id, insertion, event_datetime, conversion_id, order_id, amount, currency_code } = conversion;
    const read = readReportable({
      event_name: 'CONVERSION',
      session_id,
      brand_properties: brandIds(insertion ?? {}),
      conversion_properties: { conversion_id, order_id, amount, currency_code },
      event_datetime,
    } as ReportableEvent);
    if (!read.ok) throw new TypeError(`The conversion is not valid: ${read.error.message}.`);
    return this.report(read.event, options);
  }
}

/** Adds what to report of each offer. What counts once has the same id wherever it is reported. */
function reportable({ session_id, groups, footer, sandbox, left_out: leftOut }: SafeResponse): Recommendations {
  const once = (event_name: EventName, offer?: PlacedOffer): ReportableEvent => ({
    event_id: onceId(session_id, event_name, offer?.insertion_id),
    event_name,
    session_id,
  });
  const withReports = (offer: PlacedOffer): RecommendedOffer => {
    const brand_properties = brandIds(offer);
    const display = { ...once('BRAND_DISPLAY', offer), initiating_target: 'INLINE_SLOT', brand_properties } as const;
    const click = {
      event_name: 'BRAND_CLICK',
      session_id,
      initiating_target: 'INLINE_ACTION_BUTTON',
      brand_properties,
    } as const;
    return { ...offer, report: { display, click } };
  };
  const reportableGroups = groups.map((group) => ({ ...group, offers: group.offers.map(withReports) }));
  return {
    session_id,
    groups: reportableGroups,
    offers: reportableGroups.flatMap(({ offers }) => offers),
    footer,
    sandbox,
    leftOut,
    report: { load: once('WIDGET_LOAD'), display: once('WIDGET_DISPLAY') },
  };
}

function brandIds({ offer_id, advertiser_id, insertion_id }: BrandProperties): BrandProperties {
  return { offer_id, advertiser_id, insertion_id };
}
