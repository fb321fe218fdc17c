// Every limit that two parts of the system must agree on, with its unit and reason.

/** Maximum characters of an identifier or another short field: a UUID has 36, the longest seen have about 100. */
export const ID_MAX_LENGTH = 200;

/** Maximum events in one batch: the network refuses 0 and 21. */
export const BATCH_MAX_EVENTS = 20;
/** Bytes of an event or batch body that the relay and the network read before they return 413. */
export const EVENTS_BODY_MAX_BYTES = 64 * 1024;
/** Bytes of a recommendations request that the relay reads before it returns 413. */
export const RECOMMENDATIONS_BODY_MAX_BYTES = 16 * 1024;
/** Levels of objects and lists in a JSON body that the relay accepts; the deepest ones of the wire have eight. */
export const JSON_MAX_DEPTH = 32;
/** Bytes of a body that the Channel API reads before it returns 413. */
export const CHANNEL_BODY_MAX_BYTES = 1024 * 1024;
/** Bytes of a response that the browser reads: a hostile response must not fill its memory. */
export const RESPONSE_MAX_BYTES = 1024 * 1024;
/** Maximum offers used from one response: more than anybody scrolls through. */
export const RESPONSE_MAX_OFFERS = 20;
/** Milliseconds the page waits for offers; after that the shopper has moved on. */
export const RELAY_TIMEOUT_MS = 4_000;
/** Milliseconds within which the same action counts once: a double click is one decision. */
export const DOUBLE_CLICK_MS = 500;
/** Milliseconds of uninterrupted visibility that make a view; see docs/project/wire.md#viewability. */
export const VIEW_MS = 1_000;

/** Maximum events stored on the shopper's device; at `ID_MAX_LENGTH` characters a field they stay below 2 MiB. */
export const QUEUE_MAX_EVENTS = 1_000;
/** Milliseconds an event is stored: WebKit deletes a site's storage after 7 days of use without interaction. */
export const QUEUE_MAX_AGE_MS = 7 * 24 * 3_600_000;
/** Refusals of one event (a 207 that names it) after which it is dropped. Outages do not count. */
export const QUEUE_MAX_REFUSALS = 10;
/** Milliseconds the relay remembers an accepted event: longer than any sender stores one. */
export const DEDUPE_MAX_AGE_MS = 8 * 24 * 3_600_000;

/** Milliseconds an event may lie in the future: shoppers' clocks run ahead. */
export const EVENT_MAX_AHEAD_MS = 5 * 60_000;
/** How many milliseconds an event may precede its session: shoppers' clocks run behind. */
export const EVENT_MAX_BEFORE_SESSION_MS = 5 * 60_000;
/** Maximum age in milliseconds of an event and of the session it names. */
export const EVENT_MAX_AGE_MS = 30 * 24 * 3_600_000;

/** Characters (graphemes) of copy that are shown; the rest is truncated. */
export const COPY_MAX = { heading: 140, subheading: 320, cta: 80, name: 60, disclosure: 2_000, code: 60 } as const;
/** Maximum characters of a URL that is shown or opened. */
export const URL_MAX_LENGTH = 8 * 1024;

/** Maximum items in one POST /adnet/publishers/add/. */
export const ADD_MAX_ITEMS = 50;
/** Publishers on one page of the list. */
export const LIST_PAGE_SIZE = { default: 50, max: 200 } as const;

/** Maximum breakdown columns of one report. */
export const GROUP_BY_MAX = 3;
/** Maximum values of one report filter, counted before duplicates are dropped. */
export const FILTER_MAX_VALUES = 250;
/** Maximum characters of one filter value. */
export const FILTER_VALUE_MAX_LENGTH = 64;
/** Rows on one page of a report. */
export const REPORT_LIMIT = { default: 50, channel: 250, publisher: 10_000 } as const;
/** Maximum rows of a report before paging. */
export const REPORT_MAX_ROWS = 10_000;
/** Maximum UTC dates, first and last included, of an hourly report. */
export const HOURLY_MAX_DATES = 3;
/** UTC dates of a report that names none. */
export const DEFAULT_DATES = 7;
