import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { PERIODS } from '../../../clients/period.ts';
import { dateOf, isDate } from '../../../../wire/utcDates.ts';
import { Popover } from '../parts/Popover.tsx';
import { Icon } from '../parts/icons.tsx';
import { rangeOf, wordOf } from '../parts/format.ts';
import { Calendar } from './Calendar.tsx';
import { datesOf, shifted, type ReportState } from './reportState.ts';

interface PickerProps {
  readonly state: ReportState;
  change(changes: Partial<ReportState>): void;
}

/** Chooses the dates: a named period, or two dates in a calendar. */
export function PeriodPicker({ state, change }: PickerProps): JSX.Element {
  const dates = datesOf(state);
  const next = shifted(state, 1);
  const name = state.period === 'custom' ? '' : wordOf(state.period);
  return (
    <span class="joined">
      <button type="button" class="button" aria-label="Earlier" onClick={() => change(shifted(state, -1))}>
        <Icon name="back" />
      </button>
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
      <button
        type="button"
        class="button"
        aria-label="Later"
        disabled={next.from > dateOf(Date.now())}
        onClick={() => change(clipped(next))}
      >
        <Icon name="next" />
      </button>
    </span>
  );
}

/** A period does not end in the future: the network would refuse it. */
function clipped(state: ReportState): ReportState {
  const today = dateOf(Date.now());
  return state.to > today ? { ...state, to: today } : state;
}

interface CustomProps {
  readonly dates: { readonly from: string; readonly to: string };
  choose(range: { from: string; to: string }): void;
}

function CustomDates({ dates, choose }: CustomProps): JSX.Element {
  const [from, setFrom] = useState(dates.from);
  const [to, setTo] = useState(dates.to);
  const today = dateOf(Date.now());
  const isValid = isDate(from) && isDate(to) && from <= to && to <= today;
  return (
    <form
      class="custom"
      onSubmit={(event) => {
        event.preventDefault();
        if (isValid) choose({ from, to });
      }}
    >
      <div class="fields">
        <label>
          From
          <input type="date" value={from} max={today} onInput={(event) => setFrom(event.currentTarget.value)} />
        </label>
        <label>
          To
          <input type="date" value={to} max={today} onInput={(event) => setTo(event.currentTarget.value)} />
        </label>
      </div>
      <Calendar
        from={from}
        to={to}
        today={today}
        choose={(range) => {
          setFrom(range.from);
          setTo(range.to);
        }}
      />
      <p class="foot">
        <span class="quiet">All dates are UTC.</span>
        <button class="button primary" disabled={!isValid}>
          Show
        </button>
      </p>
    </form>
  );
}
