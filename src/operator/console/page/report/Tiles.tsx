import type { JSX } from 'preact';
import type { Totals } from '../../../reports/comparison.ts';
import { changeOf, newsOf, labelOf, valueOf } from '../../../reports/format.ts';

interface TilesProps {
  readonly totals: Totals | undefined;
  readonly metrics: readonly string[];
  readonly chosen: string;
  /** Without it the tiles are only read. */
  choose?: (metric: string) => void;
}

/** The total of each metric, as the network computed it. A tile chooses what the chart shows. */
export function Tiles({ totals, metrics, chosen, choose }: TilesProps): JSX.Element {
  return (
    <div class="tiles" role="group" aria-label="Totals; choose one for the chart">
      {metrics.map((metric) => {
        const change = totals?.change?.[metric];
        const before = totals?.counterpart?.[metric];
        return (
          <button
            key={metric}
            type="button"
            aria-pressed={metric === chosen}
            disabled={!choose}
            onClick={() => choose?.(metric)}
          >
            <span class="label">{labelOf(metric)}</span>
            <span class="number">{totals ? valueOf(metric, totals[metric] ?? 0) : <i class="bone" />}</span>
            {change && before !== undefined && (
              <span class={`change ${newsOf(metric, change) ?? 'flat'}`}>
                {changeOf(change)} <span class="quiet">from {valueOf(metric, before)}</span>
              </span>
            )}
          </button>
        );
      })}
    </div>
  );
}
