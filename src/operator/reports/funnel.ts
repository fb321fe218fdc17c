import type { Metric } from '../../wire/reporting.ts';
import type { ReportVariant } from './reportQuery.ts';

/** From a page that loads to what is paid for it, in order. */
export const FUNNELS = {
  channel: ['feed_loads', 'widget_displays', 'viewable_widget_displays', 'clicks', 'conversions', 'channel_payout'],
  publisher: [
    'widget_loads',
    'widget_displays',
    'viewable_widget_displays',
    'clicks',
    'conversions',
    'publisher_payout',
  ],
} as const satisfies Record<ReportVariant, readonly Metric[]>;

/** One step of a funnel. */
export interface FunnelStep {
  readonly metric: string;
  readonly value: number;
  /** Shares of the step before and of the first one; null for the first, for an amount, and without any to compare with. */
  readonly ofBefore: number | null;
  readonly ofFirst: number | null;
  /** An amount for each of the step before, such as payout for each conversion; null for counts. */
  readonly each: number | null;
}

/** Returns the steps of a funnel from the totals of one report. What is not enabled for the key is left out. */
export function funnelOf(variant: ReportVariant, totals: Readonly<Record<string, unknown>>): readonly FunnelStep[] {
  const steps = FUNNELS[variant].flatMap((metric) => {
    const value = totals[metric];
    return typeof value === 'number' ? [{ metric, value }] : [];
  });
  return steps.map(({ metric, value }, index) => {
    const per = (other: number | undefined): number | null => (other ? value / other : null);
    const before = per(steps[index - 1]?.value);
    const isAmount = metric.endsWith('_payout');
    return {
      metric,
      value,
      ofBefore: isAmount ? null : before,
      ofFirst: isAmount || index === 0 ? null : per(steps[0]?.value),
      each: isAmount ? before : null,
    };
  });
}
