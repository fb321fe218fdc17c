import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../parts/controls.tsx';
import { Popover } from '../parts/Popover.tsx';
import { datesOfSpec } from '../../../reports/reportSpec.ts';
import type { ReportState } from '../../../reports/reportState.ts';
import { rangeText, inWords } from '../../../reports/format.ts';
import { PERIODS } from '../../../reports/period.ts';
import { type DateRange, dateOf, isDate } from '../../../../wire/utcDates.ts';

interface PickerProps {
  readonly state: ReportState;
  change(changes: Partial<ReportState>): void;
}

/** Chooses the dates: a named period, or two dates. */
export function PeriodPicker({ state, change }: PickerProps): JSX.Element {
  const dates = datesOfSpec(state);
  const name = typeof state.period === 'object' ? '' : inWords(state.period);
  return (
    <Popover
      icon="calendar"
      class="dates"
      name={`Dates: ${name} ${rangeText(dates)}`}
      label={
        <span>
          {name !== '' && <b>{name}</b>} <span class={name === '' ? '' : 'quiet'}>{rangeText(dates)}</span>
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
                    change({ period: preset });
                    close();
                  }}
                >
                  {inWords(preset)}
                </button>
              </li>
            ))}
          </ul>
          <CustomDates
            key={`${dates.from} ${dates.to}`}
            dates={dates}
            choose={(range) => {
              change({ period: range });
              close();
            }}
          />
        </div>
      )}
    </Popover>
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
  const whatIsWrong =
    !isDate(from) || !isDate(to)
      ? 'Give both dates.'
      : from > to
        ? 'From is after To.'
        : to > today && 'To is after today.';
  return (
    <form
      class="custom"
      onSubmit={(event) => {
        event.preventDefault();
        if (!whatIsWrong) choose(range);
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
        <span class="quiet" role="status">
          {whatIsWrong || 'All dates are UTC.'}
        </span>
        <Button type="submit" kind="primary" disabled={Boolean(whatIsWrong)}>
          Show
        </Button>
      </p>
    </form>
  );
}
