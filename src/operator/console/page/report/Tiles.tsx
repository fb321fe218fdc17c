import type { JSX } from 'preact';
import { useLabels } from '../app/router.tsx';
import type { Totals } from '../../../reports/comparison.ts';
import { changeText, newsOf, valueText } from '../../../reports/format.ts';

interface TilesProps {
  readonly totals: Totals | undefined;
  readonly metrics: readonly string[];
  /** The metric of the chart. */
  readonly chart: string;
  choose?(metric: string): void;
}

/** The total of each metric, as the network computed it. A tile chooses what the chart shows. */
export function Tiles({ totals, metrics, chart, choose }: TilesProps): JSX.Element {
  const labelOf = useLabels();
  const texts = metrics.map((metric) => valueText(metric, totals?.[metric] ?? 0));
  return (
    <div
      class="card tiles"
      role="group"
      aria-label="Totals; choose one for the chart"
      style={`--digits: ${Math.max(6, ...texts.map(({ length }) => length))}`}
    >
      {metrics.map((metric, index) => {
        const change = totals?.change?.[metric];
        const before = totals?.counterpart?.[metric];
        return (
          <button key={metric} type="button" aria-pressed={metric === chart} onClick={() => choose?.(metric)}>
            <span class="label">{labelOf(metric)}</span>
            <span class="number">{totals ? texts[index] : <i class="bone" />}</span>
            {change && before !== undefined && (
              <span class={`change ${newsOf(metric, change, before) ?? 'flat'}`}>
                {before === 0 ? (
                  'none before'
                ) : (
                  <>
                    {changeText(change, before)} <span class="quiet">from {valueText(metric, before)}</span>
                  </>
                )}
              </span>
            )}
          </button>
        );
      })}
    </div>
  );
}
