// What the console's process and its page exchange, as JSON under `api/`. None of it contains the key.
import type { AddResult, Category, Publisher } from '../../wire/channel.ts';
import type { Row, Totals } from '../reports/comparison.ts';
import type { Cause, Turn } from '../watch/evaluate.ts';

/** Who the key belongs to: what the page shows in its header. */
export interface ConsoleContext {
  /** Host of the network. */
  readonly network: string;
  readonly environment: 'production' | 'staging' | null;
  readonly variant: 'channel' | 'publisher';
  /** The channel's name; null with a publisher's key. */
  readonly channel: string | null;
  /** Milliseconds between two reads of a report that includes today. */
  readonly refresh_ms: number;
  /** The metrics that are enabled for the key; null when there is no data yet. */
  readonly metrics: readonly string[] | null;
  /** The option of the commands that names this network. */
  readonly network_url: string;
  /** The label of amounts; null when nothing names it. */
  readonly currency: string | null;
}

/** A report: the rows of one window, and what a chart needs. */
export interface ConsoleReport {
  /** Names the report in the process, for its other rows. */
  readonly id: string;
  /** Rows from `offset` on, those that only the compared dates have among them. */
  readonly rows: readonly Row[];
  readonly offset: number;
  /** How many rows there are. */
  readonly count: number;
  /** What a chart draws; null when that is `rows`. */
  readonly chart_rows: readonly Row[] | null;
  /** The highest groups over all dates, when the report has breakdowns and periods. */
  readonly groups: readonly Row[] | null;
  readonly totals: Totals;
  /** The dates it is compared with. */
  readonly compared: { readonly from: string; readonly to: string } | null;
  /** Rows of the network's report. */
  readonly total: number;
  readonly timezone: string;
  readonly data_through: string | null;
}

/** One page of publishers. */
export interface ConsolePublishers {
  readonly count: number;
  readonly page: number;
  readonly page_size: number;
  readonly publishers: readonly Publisher[];
}

/** Approved publishers to choose from, newest first. */
export interface FoundPublishers {
  readonly publishers: readonly { readonly id: string; readonly name: string }[];
  /** Whether there are more than were requested. */
  readonly hasMore: boolean;
}

/** One publisher, without its publishable key. */
export interface ConsolePublisher {
  readonly publisher: Publisher;
  /** What the channel excludes for all its publishers. */
  readonly channel_exclusions: readonly string[];
}

/** The results of adding publishers, in the order of the items. */
export interface ConsoleAdded {
  readonly results: readonly AddResult[];
}

/** The category tree. */
export interface ConsoleCategories {
  readonly categories: readonly Category[];
}

/** What the rules say, and would have said on the days before. */
export interface ConsoleWatch {
  readonly rules: readonly {
    readonly name: string;
    readonly kind: string;
    /** What it looks for, with its limits. */
    readonly text: string;
  }[];
  /** The rules file; null for the default rules. */
  readonly file: string | null;
  /** The complete days that were judged. */
  readonly judged: { readonly from: string | null; readonly to: string | null; readonly days: number };
  readonly open: readonly Cause[];
  /** The latest first. */
  readonly turns: readonly Turn[];
  readonly skipped: readonly { readonly rule: string; readonly why: string }[];
  /** Rules whose subjects are publishers. */
  readonly publisherRules: readonly string[];
}

/** What kind of failure it is: one per thing that the page does differently. */
export type FailureCode =
  | 'key_refused'
  | 'rate_limited'
  | 'too_large'
  | 'outside_history'
  | 'metric_not_available'
  | 'no_data'
  | 'changed'
  | 'unreachable'
  | 'not_found'
  | 'invalid'
  /** A file of the operator's has a mistake. */
  | 'file'
  | 'failed';

/** A failed call. */
export interface CallFailure {
  readonly code: FailureCode;
  readonly message: string;
  /** Seconds to wait. */
  readonly retry_after?: number | undefined;
  /** The available history, both dates included. */
  readonly window?: { readonly from: string; readonly to: string } | undefined;
  readonly unsupported_metrics?: readonly string[] | undefined;
  /** What the network said about each field. */
  readonly fields?: readonly { readonly path: string; readonly message: string }[] | undefined;
  /** The id of the request, for the network's support. */
  readonly request_id?: string | undefined;
}
