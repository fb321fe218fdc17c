// What the console's process and its page exchange, as JSON under `api/`. None of it contains the key.
import type { Publisher } from '../../wire/channel.ts';
import type { Failure } from '../failures.ts';
import type { ExclusionOutcome } from '../operations/excludeForMany.ts';
import type { Statement } from '../operations/readStatement.ts';
import type { Row, Totals } from '../reports/comparison.ts';
import type { ComparedDates } from '../reports/reportQuery.ts';
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

/** A report: its first rows, and what a chart needs. */
export interface ConsoleReport {
  /** When the process read it: rows that it sends later are of the same reading. */
  readonly read_at: number;
  /** The first rows, those that only the compared dates have among them. */
  readonly rows: readonly Row[];
  /** How many rows there are. */
  readonly count: number;
  /** Whether it changed with every read: a row may be missing, or there twice. */
  readonly isUnsteady: boolean;
  /** What a chart draws; null when that is `rows`. */
  readonly chart_rows: readonly Row[] | null;
  /** The highest groups over all dates, when the report has breakdowns and periods. */
  readonly groups: readonly Row[] | null;
  readonly totals: Totals;
  /** The dates it is compared with. */
  readonly compared: ComparedDates | null;
  /** Rows of the network's report. */
  readonly total: number;
  readonly timezone: string;
  readonly data_through: string | null;
}

/** More rows of a report. */
export interface ConsoleRows {
  readonly offset: number;
  readonly rows: readonly Row[];
}

/** One page of publishers. */
export interface ConsolePublishers {
  readonly count: number;
  readonly page: number;
  readonly page_size: number;
  /** `clicks`: those of the last 28 days; null for requests, and where the key may not read them. */
  readonly publishers: readonly (Publisher & { readonly clicks: number | null })[];
}

/** What publishers can be sorted by. */
export type PublisherOrder = 'name' | 'added' | 'clicks';

/** Approved publishers to choose from, newest first. */
export interface FoundPublishers {
  readonly publishers: readonly { readonly id: string; readonly name: string }[];
  /** Whether there are more than were requested. */
  readonly hasMore: boolean;
}

/** A statement, and its CSV as the command prints it. */
export interface ConsoleStatement extends Statement {
  readonly csv: string;
}

/** What became of each change of many publishers, in their order. */
export interface ManyExcluded {
  readonly outcomes: readonly ExclusionOutcome[];
  /** Why it ended before the last one. */
  readonly failure?: Failure;
}

/** One publisher, without its publishable key. */
export interface ConsolePublisher {
  readonly publisher: Publisher;
  /** What the channel excludes for all its publishers. */
  readonly channel_exclusions: readonly string[];
}

/** How far the reading for `ConsoleWatch` is. The next call returns more. */
export interface WatchProgress {
  readonly progress: string;
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
  /** Rules that could judge nobody on the last day. */
  readonly unjudged: readonly { readonly rule: string; readonly why: string }[];
  /** Rules whose subjects are publishers. */
  readonly publisherRules: readonly string[];
}
