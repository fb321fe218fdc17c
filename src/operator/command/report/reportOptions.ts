import { PERIODS } from '../../../clients.ts';
import { CHANNEL_GROUPINGS, CHANNEL_METRICS, TIME_GRAINS } from '../../../wire/reporting.ts';
import type { Options } from '../../../cli/options.ts';

/** The names of `--period`: those of `period()`, with hyphens. */
export const PERIOD_NAMES = PERIODS.map((name) => name.replaceAll('_', '-'));

/** The options of `offerlet report`, besides connection and format. */
export const REPORT_OPTIONS = {
  variant: {
    kind: 'choice',
    choices: ['channel', 'publisher'],
    default: 'channel',
    about: 'Whose report: that of a channel (management key) or of one publisher (publisher reporting key).',
  },
  from: { kind: 'text', value: 'D', about: 'First UTC date, such as 2026-11-01.' },
  to: { kind: 'text', value: 'D', about: 'Last UTC date, included; today by default.' },
  last: {
    kind: 'text',
    value: 'Nd',
    completes: ['7d', '30d', '90d'],
    about: 'The last days up to today, such as 7d or 30d.',
  },
  period: {
    kind: 'text',
    value: 'NAME',
    completes: PERIOD_NAMES,
    about: `A period by its name, such as last-month: ${PERIOD_NAMES.join(', ')}.`,
  },
  grain: {
    kind: 'choice',
    choices: TIME_GRAINS,
    about: 'One row for each period of that length; one for all dates by default.',
  },
  by: {
    kind: 'text',
    value: 'NAME[,NAME]',
    completes: CHANNEL_GROUPINGS,
    about: 'Breakdowns, up to three: publisher, page_type, widget_type, widget_id.',
  },
  metrics: {
    kind: 'text',
    value: 'M[,M]',
    completes: CHANNEL_METRICS,
    about: 'The metrics and their order; all that are enabled for the key by default.',
  },
  filter: {
    kind: 'list',
    value: 'NAME=VALUE',
    completes: ['publisher=', 'page_type=', 'widget_type='],
    about: 'Only that publisher (id or name), page_type or widget_type.',
  },
  sort: {
    kind: 'text',
    value: '[-]M',
    isSigned: true,
    completes: CHANNEL_METRICS,
    about: 'Sorts by a metric or column; with a hyphen, the largest first. With --compare also by M_change.',
  },
  limit: { kind: 'text', value: 'N', about: 'Prints the first rows only. The totals are still those of all rows.' },
  compare: {
    kind: 'choice',
    choices: ['previous', 'year'],
    about: 'Compares with as many days just before, or with the same weekdays a year (52 weeks) before.',
  },
  chart: { kind: 'flag', about: 'Draws the first metrics above the table.' },
  output: {
    kind: 'text',
    value: 'FILE',
    completes: 'file',
    about: 'Writes to a file. A name that ends in .csv or .json sets the format.',
  },
} as const satisfies Options;
