import type { JSX } from 'preact';
import type { Totals } from '../../../reports/comparison.ts';
import { changeOf, labelOf, newsOf, shortValueOf, valueOf } from '../../../reports/format.ts';

interface TilesProps {
  readonly totals: Totals | undefined;
  readonly metrics: readonly string[];
  readonly chosen: string;
  choose(metric: string): void;
}

/** Digits of a number that a tile still shows: more would be too small on a phone. */
const MAX_DIGITS = 16;

/** The total of each metric, as the network computed it. A tile chooses what the chart shows. */
export function Tiles({ totals, metrics, chosen, choose }: TilesProps): JSX.Element {
  const texts = metrics.map((metric) => textOf(metric, totals?.[metric] ?? 0));
  const digits = Math.max(6, ...texts.map(({ short, exact }) => (short ?? exact).length));
  return (
    <div
      class="card tiles"
      role="group"
      aria-label="Totals; choose one for the chart"
      style={`--digits: ${digits}; --exact: ${Math.max(6, ...texts.map(({ exact }) => exact.length))}`}
    >
      {metrics.map((metric, index) => {
        const change = totals?.change?.[metric];
        const before = totals?.counterpart?.[metric];
        return (
          <button key={metric} type="button" aria-pressed={metric === chosen} onClick={() => choose(metric)}>
            <span class="label">{labelOf(metric)}</span>
            <span class="number">{totals ? <Exact {...(texts[index] ?? { exact: '' })} /> : <i class="bone" />}</span>
            {change && before !== undefined && (
              <span class={`change ${newsOf(metric, change, before) ?? 'flat'}`}>
                {changeOf(change, before)} <span class="quiet">from {valueOf(metric, before)}</span>
              </span>
            )}
          </button>
        );
      })}
    </div>
  );
}

interface NumberText {
  readonly exact: string;
  /** Instead of an exact number that is too long; that one is shown for the pointer and the focus. */
  readonly short?: string;
}

function textOf(metric: string, value: number): NumberText {
  const exact = valueOf(metric, value);
  return exact.length > MAX_DIGITS ? { exact, short: shortValueOf(metric, value) } : { exact };
}

function Exact({ exact, short }: NumberText): JSX.Element {
  if (short === undefined) return <>{exact}</>;
  return (
    <>
      <span class="short" aria-hidden="true">
        {short}
      </span>
      <span class="hidden">{exact}</span>
      <span class="exact" aria-hidden="true">
        {exact}
      </span>
    </>
  );
}
