import type { JSX } from 'preact';
import { countDays } from '../../../../wire/utcDates.ts';
import { Choices } from './Choices.tsx';
import { Filters } from './Filters.tsx';
import { PeriodPicker } from './PeriodPicker.tsx';
import {
  datesOf,
  grainOf,
  groupingsOf,
  MAX_BREAKDOWNS,
  MAX_HOURLY_DATES,
  metricsOf,
  type Comparison,
  type ReportState,
  type Variant,
} from './reportState.ts';

interface ControlsProps {
  readonly state: ReportState;
  readonly variant: Variant;
  change(changes: Partial<ReportState>): void;
}

const GRAINS = [
  ['hour', 'Hour'],
  ['day', 'Day'],
  ['week', 'Week'],
  ['month', 'Month'],
  ['total', 'Total'],
] as const;
const COMPARISONS: readonly (readonly [Comparison, string])[] = [
  ['none', 'No comparison'],
  ['previous', 'Previous period'],
  ['year', 'Previous year'],
];

/** What the report shows: dates, grain, comparison, breakdowns, metrics, filters. */
export function Controls({ state, variant, change }: ControlsProps): JSX.Element {
  const dates = datesOf(state);
  const isShort = countDays(dates) <= MAX_HOURLY_DATES;
  return (
    <div class="controls" role="group" aria-label="What the report shows">
      <div class="row">
        <PeriodPicker state={state} change={change} />
        <label class="select">
          <span class="hidden">Compare with</span>
          <select
            value={state.compare}
            onChange={(event) => change({ compare: event.currentTarget.value as Comparison })}
          >
            {COMPARISONS.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <fieldset class="segments">
          <legend class="hidden">Grain</legend>
          {GRAINS.map(([grain, label]) => (
            <label
              key={grain}
              title={grain === 'hour' && !isShort ? 'Hours are available for 3 dates at most' : undefined}
            >
              <input
                type="radio"
                name="grain"
                checked={grainOf(state, dates) === grain}
                disabled={grain === 'hour' && !isShort}
                onChange={() => change({ grain })}
              />
              <span>{label}</span>
            </label>
          ))}
        </fieldset>
      </div>
      <div class="row">
        <Choices
          label="Breakdown"
          icon="split"
          all={groupingsOf(variant)}
          chosen={state.by}
          max={MAX_BREAKDOWNS}
          note={`Up to ${MAX_BREAKDOWNS}.`}
          choose={(by) => change({ by })}
        />
        <Choices
          label="Metrics"
          all={metricsOf(variant)}
          chosen={state.metrics}
          min={1}
          choose={(metrics) => change({ metrics })}
        />
        <Filters filters={state.filters} variant={variant} change={(filters) => change({ filters })} />
      </div>
    </div>
  );
}
