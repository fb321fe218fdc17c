import type { JSX } from 'preact';
import type { Row } from '../../../reports/comparison.ts';
import { changeOf, newsOf, valueOf } from '../../../reports/format.ts';

/** What the bars show. */
export interface BarsProps {
  /** The highest rows by the metric, perhaps others too. */
  readonly rows: readonly Row[];
  /** How many rows there are. */
  readonly count: number;
  readonly metric: string;
  nameOf(row: Row): string;
}

/** The most bars that are drawn; the table has all. */
const MAX_BARS = 12;

/** One bar for each row, the highest first, with its exact value. */
export function Bars({ rows, count, metric, nameOf }: BarsProps): JSX.Element {
  const value = (row: Row): number => Number(row[metric] ?? 0);
  const highest = rows.toSorted((a, b) => value(b) - value(a)).slice(0, MAX_BARS);
  const before = (row: Row): number => Number(row.counterpart?.[metric] ?? 0);
  const top = Math.max(...highest.flatMap((row) => [value(row), before(row)]), Number.EPSILON);
  return (
    <>
      <ol class="bars">
        {highest.map((row) => (
          <li key={nameOf(row)}>
            <span class="name">{nameOf(row)}</span>
            <span class="track">
              <span class="bar" style={{ inlineSize: `${(value(row) / top) * 100}%` }} />
              {row.change && (
                <span
                  class="before"
                  style={{ insetInlineStart: `${(before(row) / top) * 100}%` }}
                  title={`Before: ${valueOf(metric, before(row))}`}
                />
              )}
            </span>
            <span class="value">{valueOf(metric, value(row))}</span>
            {row.change && (
              <span class={`change ${newsOf(metric, row.change[metric], before(row)) ?? 'flat'}`}>
                {changeOf(row.change[metric], before(row))}
              </span>
            )}
          </li>
        ))}
      </ol>
      {count > highest.length && (
        <p class="quiet">
          The {MAX_BARS} highest of {count}. All are in the table.
        </p>
      )}
    </>
  );
}
