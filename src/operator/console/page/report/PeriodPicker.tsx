import type { JSX } from 'preact';
import { useState, useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from '../parts/controls.tsx';
import { Popover } from '../parts/Popover.tsx';
import { datesOf, shifted, type ReportState } from './reportState.ts';
import { rangeOf, wordOf, periodOf } from '../../../reports/format.ts';
import { PERIODS } from '../../../reports/period.ts';
import { type DateRange, dateOf, isDate, addDays, monthEnd, monthStart, weekStart } from '../../../../wire/utcDates.ts';

interface PickerProps {
  readonly state: ReportState;
  change(changes: Partial<ReportState>): void;
}

/** Chooses the dates: a named period, or two dates in a calendar. */
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
      <Calendar from={from} to={to} today={today} choose={setRange} />
      <p class="split">
        <span class="quiet">All dates are UTC.</span>
        <Button type="submit" kind="primary" disabled={!isValid}>
          Show
        </Button>
      </p>
    </form>
  );
}

interface CalendarProps extends DateRange, Pick<CustomProps, 'choose'> {
  readonly today: string;
}

const WEEKDAYS = ['Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa', 'Su'];
const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };

/** One month. The first date chosen begins the range and the second ends it; the arrow keys move between days. */
function Calendar({ from, to, today, choose }: CalendarProps): JSX.Element {
  const [focused, setFocused] = useState(to);
  const [start, setStart] = useState<string>();
  const grid = useRef<HTMLTableElement>(null);
  const moved = useRef(false);
  const first = monthStart(focused);
  const weeks: string[] = [];
  for (let week = weekStart(first); week <= monthEnd(focused); week = addDays(week, 7)) weeks.push(week);

  // Before the next key: it goes to where the focus is.
  useLayoutEffect(() => {
    if (moved.current) grid.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus();
    moved.current = false;
  }, [focused]);

  function move(to: string): void {
    moved.current = true;
    setFocused(to > today ? today : to);
  }

  function pick(day: string): void {
    setFocused(day);
    if (start === undefined) {
      setStart(day);
      choose({ from: day, to: day });
    } else {
      setStart(undefined);
      choose(day < start ? { from: day, to: start } : { from: start, to: day });
    }
  }

  return (
    <div class="calendar">
      <p class="split">
        <Button
          kind="small"
          icon="back"
          aria-label="Previous month"
          onClick={() => setFocused(monthStart(focused, -1))}
        />
        <b aria-live="polite">{periodOf(Date.parse(first), 'month')}</b>
        <Button
          kind="small"
          icon="next"
          aria-label="Next month"
          disabled={monthStart(focused, 1) > today}
          onClick={() => setFocused(monthStart(focused, 1))}
        />
      </p>
      <table
        role="grid"
        ref={grid}
        aria-label={start === undefined ? 'Choose the first date' : 'Choose the last date'}
        onKeyDown={(event) => {
          const step = STEPS[event.key];
          const month = event.key === 'PageUp' ? -1 : event.key === 'PageDown' ? 1 : undefined;
          if (step === undefined && month === undefined) return;
          event.preventDefault();
          move(step === undefined ? monthStart(focused, month) : addDays(focused, step));
        }}
      >
        <thead>
          <tr>
            {WEEKDAYS.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map((week) => (
            <tr key={week}>
              {WEEKDAYS.map((_, weekday) => {
                const day = addDays(week, weekday);
                if (day.slice(0, 7) !== first.slice(0, 7)) return <td key={day} />;
                const isIn = day >= from && day <= to;
                return (
                  <td
                    key={day}
                    class={`${isIn ? 'in' : ''} ${day === from ? 'first' : ''} ${day === to ? 'last' : ''}`}
                    aria-selected={isIn}
                  >
                    <button
                      type="button"
                      tabIndex={day === focused ? 0 : -1}
                      disabled={day > today}
                      aria-label={periodOf(Date.parse(day), 'day')}
                      aria-current={day === today ? 'date' : undefined}
                      onClick={() => pick(day)}
                    >
                      {Number(day.slice(8))}
                    </button>
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
