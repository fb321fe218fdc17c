import {
  CHANNEL_GROUPINGS,
  CHANNEL_METRICS,
  PUBLISHER_GROUPINGS,
  PUBLISHER_METRICS,
  type ChannelGrouping,
  type Metric,
} from '../../wire/reporting.ts';
import { REPORT_LIMIT } from '../../wire/limits.ts';

/** Any breakdown column of either report. */
export type Grouping = ChannelGrouping;

/** The differences between the channel report and the publisher report; they share everything else. */
export interface Variant {
  readonly name: 'channel' | 'publisher';
  /** In the order in which a report shows them by default. */
  readonly metrics: readonly Metric[];
  readonly groupings: readonly Grouping[];
  readonly parameters: readonly string[];
  /** Page types whose activity is in no row and no summary (docs/project/rules.md#r29). */
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

/** The report on all publishers of a channel. */
export const CHANNEL_REPORT: Variant = {
  name: 'channel',
  metrics: CHANNEL_METRICS,
  groupings: CHANNEL_GROUPINGS,
  parameters: [...SHARED_PARAMETERS, 'sort_by', 'sort_direction', 'publisher_ids'],
  excludedPageTypes: ['MODAL'],
  maxLimit: REPORT_LIMIT.channel,
};

/** The report on a single publisher. */
export const PUBLISHER_REPORT: Variant = {
  name: 'publisher',
  metrics: PUBLISHER_METRICS,
  groupings: PUBLISHER_GROUPINGS,
  parameters: SHARED_PARAMETERS,
  excludedPageTypes: ['ORDER_TRACKING', 'MODAL'],
  maxLimit: REPORT_LIMIT.publisher,
};
