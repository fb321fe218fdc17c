import type { JSX } from 'preact';
import { useLabels } from '../app/router.tsx';
import { FailurePanel } from '../parts/FailurePanel.tsx';
import { Card } from '../parts/layout.tsx';
import { useReport } from './useReport.ts';
import type { ConsoleContext } from '../../protocol.ts';
import { labelOf, valueText } from '../../../reports/format.ts';
import { funnelOf, FUNNELS } from '../../../reports/funnel.ts';
import type { ReportState } from '../../../reports/reportState.ts';

interface FunnelProps {
  /** Whose dates and filters count. */
  readonly state: ReportState;
  readonly session: ConsoleContext;
}

/** The steps from loads to payout, each with its share of the step before, from one report. */
export function Funnel({ state, session }: FunnelProps): JSX.Element | null {
  const nameOf = useLabels();
  const metrics = FUNNELS[state.variant].filter((name) => session.metrics?.includes(name) ?? true);
  const [chart = ''] = metrics;
  const whole = { ...state, grain: 'total', by: [], metrics, sort: '', compare: undefined, chart } as const;
  const resource = useReport(whole, session);
  const { data, failure } = resource;
  if (metrics.length < 2) return null;
  if (failure && !data) return <FailurePanel failure={failure} resource={resource} />;
  const steps = funnelOf(state.variant, data?.totals ?? Object.fromEntries(metrics.map((name) => [name, 0])));
  return (
    <Card title="Funnel" class="funnel-card">
      <ol class="funnel" aria-busy={resource.isLoading}>
        {steps.map(({ metric, value, ofBefore, ofFirst, each }, index) => {
          const before = labelOf(steps[index - 1]?.metric ?? '').toLowerCase();
          return (
            <li key={metric}>
              <span class="label">{nameOf(metric)}</span>
              <b>{data ? valueText(metric, value) : <i class="bone" />}</b>
              {(index === 0 || ofFirst !== null) && (
                <span class="track">
                  <span class="bar" style={{ inlineSize: `${Math.min(1, ofFirst ?? 1) * 100}%` }} />
                </span>
              )}
              <span class="quiet">
                {ofBefore !== null && `${valueText('ctr', ofBefore)} of ${before}`}
                {each !== null && `${valueText(metric, each)} per ${before.replace(/s$/, '')}`}
              </span>
            </li>
          );
        })}
      </ol>
    </Card>
  );
}
