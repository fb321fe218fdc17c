import type { JSX } from 'preact';
import { useLabels } from '../app/router.tsx';
import { FailurePanel } from '../parts/FailurePanel.tsx';
import { Card } from '../parts/layout.tsx';
import { useReport } from './useReport.ts';
import type { ConsoleContext } from '../../protocol.ts';
import { isMoney, labelOf, valueText } from '../../../reports/format.ts';
import type { ReportState } from '../../../reports/reportState.ts';

/** From what a shopper's page loads to what it earns. */
const STEPS = {
  channel: ['feed_loads', 'widget_displays', 'viewable_widget_displays', 'clicks', 'conversions', 'channel_payout'],
  publisher: [
    'widget_loads',
    'widget_displays',
    'viewable_widget_displays',
    'clicks',
    'conversions',
    'publisher_payout',
  ],
} as const;

interface FunnelProps {
  /** Whose dates and filters count. */
  readonly state: ReportState;
  readonly session: ConsoleContext;
}

/** The steps from loads to payout, each with its share of the step before, from one report. */
export function Funnel({ state, session }: FunnelProps): JSX.Element | null {
  const nameOf = useLabels();
  const steps = STEPS[state.variant].filter((name) => session.metrics?.includes(name) ?? true);
  const [first = ''] = steps;
  const whole = {
    ...state,
    grain: 'total',
    by: [],
    metrics: steps,
    sort: '',
    compare: undefined,
    chart: first,
  } as const;
  const resource = useReport(whole, session);
  const { data, failure } = resource;
  if (steps.length < 2) return null;
  if (failure && !data) return <FailurePanel failure={failure} resource={resource} />;
  const value = (name: string | undefined): number => (name === undefined ? 0 : (data?.totals[name] ?? 0));
  const top = Math.max(...steps.filter((name) => !isMoney(name)).map(value), 1);
  return (
    <Card title="Funnel" class="funnel-card">
      <ol class="funnel" aria-busy={resource.isLoading}>
        {steps.map((name, index) => {
          const before = steps[index - 1];
          const share = value(before) === 0 ? undefined : value(name) / value(before);
          return (
            <li key={name}>
              <span class="label">{nameOf(name)}</span>
              <b>{data ? valueText(name, value(name)) : <i class="bone" />}</b>
              {!isMoney(name) && (
                <span class="track">
                  <span class="bar" style={{ inlineSize: `${(value(name) / top) * 100}%` }} />
                </span>
              )}
              <span class="quiet">
                {data && before !== undefined && share !== undefined && !isMoney(name)
                  ? `${valueText('ctr', share)} of ${labelOf(before).toLowerCase()}`
                  : ''}
              </span>
            </li>
          );
        })}
      </ol>
    </Card>
  );
}
