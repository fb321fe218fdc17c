import type { JSX } from 'preact';
import { call } from '../app/call.ts';
import { useResource } from '../app/useResource.ts';
import { Button, Check, Segments, Select, toggled, type SelectOption } from '../parts/controls.tsx';
import { Icon, type IconName } from '../parts/icons.tsx';
import { Popover } from '../parts/Popover.tsx';
import { PublisherSearch } from '../parts/PublisherSearch.tsx';
import { PeriodPicker } from './PeriodPicker.tsx';
import { metricsOf, type Enabled, type ReportState } from '../../../reports/reportState.ts';
import type { Compare } from '../../../reports/period.ts';
import { datesOfSpec, FILTER_NAMES, grainOf, NO_FILTERS, type FilterName } from '../../../reports/reportSpec.ts';
import { inWords, labelOf } from '../../../reports/format.ts';
import { GROUPINGS } from '../../../reports/reportQuery.ts';
import { GROUP_BY_MAX, HOURLY_MAX_DATES } from '../../../../wire/limits.ts';
import { DISPLAY_MODES, VIEWS } from '../../../../wire/offers/request.ts';
import type { TimeGrain } from '../../../../wire/reporting.ts';
import { countDays } from '../../../../wire/utcDates.ts';

interface ControlsProps {
  readonly state: ReportState;
  readonly enabled: Enabled;
  change(changes: Partial<ReportState>): void;
}

const GRAINS: readonly SelectOption<TimeGrain>[] = [
  ['hour', 'Hour'],
  ['day', 'Day'],
  ['week', 'Week'],
  ['month', 'Month'],
  ['total', 'Total'],
];
const COMPARISONS: readonly SelectOption<Compare | 'none'>[] = [
  ['none', 'No comparison'],
  ['previous', 'Previous period'],
  ['year', 'Previous year'],
];

/** What the report shows: dates, grain, comparison, breakdowns, metrics, filters. */
export function Controls({ state, enabled, change }: ControlsProps): JSX.Element {
  const { variant } = state;
  const dates = datesOfSpec(state);
  const isShort = countDays(dates) <= HOURLY_MAX_DATES;
  return (
    <div class="controls" role="group" aria-label="What the report shows">
      <div class="row">
        <PeriodPicker state={state} change={change} />
        <Select
          label="Compare with"
          options={COMPARISONS}
          value={state.compare ?? 'none'}
          choose={(compare) => change({ compare: compare === 'none' ? undefined : compare })}
        />
        <Segments
          label="Grain"
          options={GRAINS}
          value={grainOf(state, dates)}
          choose={(grain) => change({ grain })}
          refusal={(grain) => (grain === 'hour' && !isShort ? 'Hours are available for 3 dates at most' : undefined)}
        />
      </div>
      <div class="row">
        <Choices
          label="Breakdown"
          icon="split"
          all={GROUPINGS[variant]}
          chosen={state.by}
          max={GROUP_BY_MAX}
          note={`Up to ${GROUP_BY_MAX}.`}
          choose={(by) => change({ by })}
        />
        <Choices
          label="Metrics"
          all={metricsOf(variant, enabled)}
          chosen={state.metrics}
          min={1}
          choose={(metrics) => change({ metrics })}
        />
        <Filters state={state} change={(filters) => change({ filters })} />
      </div>
    </div>
  );
}

interface FiltersProps {
  readonly state: ReportState;
  change(filters: ReportState['filters']): void;
}

const CONSTANTS: readonly (readonly [name: FilterName, title: string, all: readonly string[]])[] = [
  ['page_type', 'Page type', VIEWS],
  ['widget_type', 'Widget type', DISPLAY_MODES],
];

/** The filters in force, each with a button that removes it, and one that adds another. */
function Filters({ state: { filters, variant }, change }: FiltersProps): JSX.Element {
  const active = FILTER_NAMES.flatMap((name) => filters[name].map((value) => ({ name, value, title: labelOf(name) })));
  const toggle = (name: FilterName, value: string): void =>
    change({ ...filters, [name]: toggled(filters[name], value) });
  const box = (name: FilterName, value: string, text: string): JSX.Element => (
    <Check key={value} isOn={filters[name].includes(value)} toggle={() => toggle(name, value)}>
      {text}
    </Check>
  );
  return (
    <>
      <Popover icon="filter" label="Filter">
        {() => (
          <div class="filters">
            {variant === 'channel' && (
              <fieldset class="choices">
                <legend>Publisher</legend>
                <PublisherSearch>{({ id, name }) => box('publisher', id, name)}</PublisherSearch>
              </fieldset>
            )}
            {CONSTANTS.map(([name, title, all]) => (
              <fieldset key={name} class="choices">
                <legend>{title}</legend>
                {[...new Set([...all, ...filters[name]])].map((value) => box(name, value, inWords(value)))}
              </fieldset>
            ))}
          </div>
        )}
      </Popover>
      {active.map(({ name, value, title }) => (
        <span key={`${name} ${value}`} class="chip">
          <span>
            {title}: <b>{name === 'publisher' ? <PublisherName id={value} /> : inWords(value)}</b>
          </span>
          <button type="button" aria-label={`Remove the filter ${title}: ${value}`} onClick={() => toggle(name, value)}>
            <Icon name="close" />
          </button>
        </span>
      ))}
      {active.length > 1 && (
        <Button kind="small plain" onClick={() => change(NO_FILTERS)}>
          Remove all
        </Button>
      )}
    </>
  );
}

const names = new Map<string, Promise<string>>();

/** The name of a publisher; its id until that is known. */
function PublisherName({ id }: { readonly id: string }): JSX.Element {
  const { data } = useResource({
    key: id,
    load: () => {
      const name =
        names.get(id) ??
        call<{ publisher: { brand_name: string } }>(`publishers/${encodeURIComponent(id)}`).then(
          ({ publisher }) => publisher.brand_name,
        );
      names.set(id, name);
      name.catch(() => names.delete(id));
      return name;
    },
  });
  return <>{data ?? id.slice(0, 8)}</>;
}

interface ChoicesProps {
  readonly label: string;
  readonly icon?: IconName;
  readonly all: readonly string[];
  readonly chosen: readonly string[];
  /** How many may be chosen; all by default. */
  readonly max?: number;
  /** How many must be. */
  readonly min?: number;
  readonly note?: string;
  choose(chosen: readonly string[]): void;
}

/** A button that opens a list of boxes to tick. */
function Choices(props: ChoicesProps): JSX.Element {
  const { label, icon, all, chosen, max = all.length, min = 0, note, choose } = props;
  return (
    <Popover
      icon={icon}
      name={`${label}: ${chosen.map(labelOf).join(', ') || 'none'}`}
      label={
        <span>
          {label} <span class="count">{chosen.length}</span>
        </span>
      }
    >
      {() => (
        <fieldset class="choices">
          <legend>{label}</legend>
          {all.map((name) => {
            const isOn = chosen.includes(name);
            return (
              <Check
                key={name}
                isOn={isOn}
                isDisabled={isOn ? chosen.length <= min : chosen.length >= max}
                // Added ones go to the end: that is the order of the columns.
                toggle={() => choose(toggled(chosen, name))}
              >
                {labelOf(name)} <code>{name}</code>
              </Check>
            );
          })}
          {note && <p class="quiet">{note}</p>}
        </fieldset>
      )}
    </Popover>
  );
}
