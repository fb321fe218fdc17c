// Every limit that two stations must agree on, once, with its unit and its reason.

/** Events in one batch: the network refuses 0 and 21. */
export const BATCH_MAX_EVENTS = 20;
/** Bytes of a batch body that the sender aims at: below the relay's limit with room for headers. */
export const BATCH_MAX_BYTES = 48 * 1024;
/** Bytes that the relay and the network read of a batch before they answer 413. */
export const EVENTS_BODY_MAX_BYTES = 64 * 1024;
/** Bytes that the relay reads of a recommendations request before it answers 413. */
export const RECOMMENDATIONS_BODY_MAX_BYTES = 16 * 1024;
/** Bytes that the Channel API reads of a body before it answers 413. */
export const CHANNEL_BODY_MAX_BYTES = 1024 * 1024;
/** Bytes of an answer that the browser reads: a hostile answer must not fill its memory. */
export const RESPONSE_MAX_BYTES = 1024 * 1024;
/** Offers taken from one answer; more than anybody scrolls through. */
export const RESPONSE_MAX_OFFERS = 20;
/** Milliseconds the page waits for offers: after that the shopper has moved on. */
export const RELAY_TIMEOUT_MS = 4_000;

/** Events kept on the shopper's device at most; with fields of 200 characters at most they stay below 2 MiB. */
export const QUEUE_MAX_EVENTS = 1_000;
/** Milliseconds an event is kept: WebKit forgets a site's storage after 7 days as well. */
export const QUEUE_MAX_AGE_MS = 7 * 24 * 3_600_000;
/** Refusals of its own (a 207 that names it) after which an event is given up. Outages do not count. */
export const QUEUE_MAX_REFUSALS = 10;
/** Milliseconds the relay remembers an accepted event: longer than any sender keeps one. */
export const SEEN_MAX_AGE_MS = 8 * 24 * 3_600_000;

/** Milliseconds an event may lie in the future: shoppers' clocks run ahead. */
export const EVENT_MAX_AHEAD_MS = 5 * 60_000;
/** Milliseconds an event or the session it names may be old. */
export const EVENT_MAX_AGE_MS = 30 * 24 * 3_600_000;

/** Characters (graphemes) of copy that are shown; the rest is cut. */
export const COPY_MAX = { heading: 140, subheading: 320, cta: 40, name: 60, disclosure: 2_000, code: 60 } as const;
/** Characters of a URL that is shown or opened. */
export const URL_MAX_LENGTH = 8 * 1024;

/** Items in one POST /adnet/publishers/add/. */
export const ADD_MAX_ITEMS = 50;
/** Publishers on one page of the list. */
export const LIST_PAGE_SIZE = { default: 50, max: 200 } as const;

/** Breakdown columns of one report. */
export const GROUP_BY_MAX = 3;
/** Values of one report filter, counted before duplicates are dropped. */
export const FILTER_MAX_VALUES = 250;
/** Characters of one filter value. */
export const FILTER_VALUE_MAX_LENGTH = 64;
/** Rows on one page of a report. */
export const REPORT_LIMIT = { default: 50, channel: 250, publisher: 10_000 } as const;
/** Rows of a report before paging. */
export const REPORT_MAX_ROWS = 10_000;
/** Inclusive UTC dates of an hourly report. */
export const HOURLY_MAX_DATES = 3;
/** UTC dates of a report that names none. */
export const DEFAULT_DATES = 7;
