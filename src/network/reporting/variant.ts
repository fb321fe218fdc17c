import {
  CHANNEL_GROUPINGS,
  CHANNEL_METRICS,
  PUBLISHER_GROUPINGS,
  PUBLISHER_METRICS,
  type ChannelGrouping,
  type ChannelMetric,
  type PublisherMetric,
} from '../../wire/reporting.ts';
import { REPORT_LIMIT } from '../../wire/limits.ts';

/** Any metric of either variant. */
export type Metric = ChannelMetric | PublisherMetric;
/** Any breakdown column of either variant. */
export type Grouping = ChannelGrouping;

/** What tells channel reporting from publisher reporting: everything else is shared. */
export interface Variant {
  readonly name: 'channel' | 'publisher';
  /** In the order of the specification's table, which is the order of the default. */
  readonly metrics: readonly Metric[];
  readonly groupings: readonly Grouping[];
  readonly parameters: readonly string[];
  /** Activity of these page types is in no row and in no summary (R29). */
  readonly excludedPageTypes: readonly string[];
  readonly maxLimit: number;
}

const SHARED_PARAMETERS = [
  'from',
  'to',
  'metrics',
  'time_grain',
  'group_by',
  'sort_order',
  'page_types',
  'widget_types',
  'offset',
  'limit',
] as const;

/** All publishers of one channel. */
export const CHANNEL_REPORT: Variant = {
  name: 'channel',
  metrics: CHANNEL_METRICS,
  groupings: CHANNEL_GROUPINGS,
  parameters: [...SHARED_PARAMETERS, 'sort_by', 'sort_direction', 'publisher_ids'],
  excludedPageTypes: ['MODAL'],
  maxLimit: REPORT_LIMIT.channel,
};

/** One publisher on its own performance. */
export const PUBLISHER_REPORT: Variant = {
  name: 'publisher',
  metrics: PUBLISHER_METRICS,
  groupings: PUBLISHER_GROUPINGS,
  parameters: SHARED_PARAMETERS,
  excludedPageTypes: ['ORDER_TRACKING', 'MODAL'],
  maxLimit: REPORT_LIMIT.publisher,
};
