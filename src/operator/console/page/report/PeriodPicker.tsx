import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../parts/controls.tsx';
import { Popover } from '../parts/Popover.tsx';
import { datesOf, shifted, type ReportState } from './reportState.ts';
import { rangeOf, wordOf } from '../../../reports/format.ts';
import { PERIODS } from '../../../reports/period.ts';
import { type DateRange, dateOf, isDate } from '../../../../wire/utcDates.ts';

interface PickerProps {
  readonly state: ReportState;
  change(changes: Partial<ReportState>): void;
}

/** Chooses the dates: a named period, or two dates. */
export function PeriodPicker({ state, change }: PickerProps): JSX.Element {
  const dates = datesOf(state);
  const next = shifted(state, 1);
  const earlier = shifted(state, -1);
  const name = state.period === 'custom' ? '' : wordOf(state.period);
  return (
    <span class="joined">
      <Button icon="back" aria-label="Earlier" onClick={() => earlier && change(earlier)} />
      <Popover
        icon="calendar"
        class="wide"
        name={`Dates: ${name} ${rangeOf(dates)}`}
        label={
          <span>
            {name !== '' && <b>{name}</b>} <span class={name === '' ? '' : 'quiet dates'}>{rangeOf(dates)}</span>
          </span>
        }
      >
        {(close) => (
          <div class="period">
            <ul class="presets" aria-label="Periods">
              {PERIODS.map((preset) => (
                <li key={preset}>
                  <button
                    type="button"
                    aria-pressed={state.period === preset}
                    onClick={() => {
                      change({ period: preset, from: '', to: '' });
                      close();
                    }}
                  >
                    {wordOf(preset)}
                  </button>
                </li>
              ))}
            </ul>
            <CustomDates
              key={`${dates.from} ${dates.to}`}
              dates={dates}
              choose={(range) => {
                change({ period: 'custom', ...range });
                close();
              }}
            />
          </div>
        )}
      </Popover>
      <Button icon="next" aria-label="Later" disabled={!next} onClick={() => next && change(next)} />
    </span>
  );
}

interface CustomProps {
  readonly dates: DateRange;
  choose(range: DateRange): void;
}

function CustomDates({ dates, choose }: CustomProps): JSX.Element {
  const [range, setRange] = useState(dates);
  const { from, to } = range;
  const today = dateOf(Date.now());
  const isValid = isDate(from) && isDate(to) && from <= to && to <= today;
  return (
    <form
      class="custom"
      onSubmit={(event) => {
        event.preventDefault();
        if (isValid) choose(range);
      }}
    >
      <div class="fields">
        {(['from', 'to'] as const).map((end) => (
          <label key={end}>
            {end === 'from' ? 'From' : 'To'}
            <input
              type="date"
              value={range[end]}
              max={today}
              onInput={(event) => setRange({ ...range, [end]: event.currentTarget.value })}
            />
          </label>
        ))}
      </div>
      <p class="split">
        <span class="quiet">All dates are UTC.</span>
        <Button type="submit" kind="primary" disabled={!isValid}>
          Show
        </Button>
      </p>
    </form>
  );
}
