import type { JSX } from 'preact';
import { call } from '../app/call.ts';
import { useResource } from '../app/useResource.ts';
import { Icon, type IconName } from '../parts/icons.tsx';
import { Popover } from '../parts/Popover.tsx';
import { PublisherSearch } from '../parts/PublisherSearch.tsx';
import { PeriodPicker } from './PeriodPicker.tsx';
import {
  datesOf,
  grainOf,
  groupingsOf,
  MAX_BREAKDOWNS,
  MAX_HOURLY_DATES,
  metricsOf,
  type Comparison,
  type Enabled,
  type ReportState,
  type Variant,
  type FilterName,
} from './reportState.ts';
import { wordOf, labelOf } from '../../../reports/format.ts';
import { DISPLAY_MODES, VIEWS } from '../../../../wire/offers/request.ts';
import { countDays } from '../../../../wire/utcDates.ts';

interface ControlsProps {
  readonly state: ReportState;
  readonly variant: Variant;
  readonly enabled: Enabled;
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
export function Controls({ state, variant, enabled, change }: ControlsProps): JSX.Element {
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
          all={metricsOf(variant, enabled)}
          chosen={state.metrics}
          min={1}
          choose={(metrics) => change({ metrics })}
        />
        <Filters filters={state.filters} variant={variant} change={(filters) => change({ filters })} />
      </div>
    </div>
  );
}

type FilterLists = ReportState['filters'];
interface FiltersProps {
  readonly filters: FilterLists;
  readonly variant: Variant;
  change(filters: FilterLists): void;
}

const TITLES: Readonly<Record<FilterName, string>> = {
  publisher_ids: 'Publisher',
  page_types: 'Page type',
  widget_types: 'Widget type',
};

/** The filters in force, each with a button that removes it, and one that adds another. */
export function Filters({ filters, variant, change }: FiltersProps): JSX.Element {
  const active = (Object.keys(TITLES) as FilterName[]).flatMap((name) =>
    filters[name].map((value) => ({ name, value })),
  );
  const toggle = (name: FilterName, value: string): void => {
    const list = filters[name];
    change({ ...filters, [name]: list.includes(value) ? list.filter((other) => other !== value) : [...list, value] });
  };
  return (
    <>
      <Popover icon="filter" label="Filter">
        {() => (
          <div class="filters">
            {variant === 'channel' && (
              <PublisherFilter chosen={filters.publisher_ids} toggle={(id) => toggle('publisher_ids', id)} />
            )}
            <Constants name="page_types" all={VIEWS} chosen={filters.page_types} toggle={toggle} />
            <Constants name="widget_types" all={DISPLAY_MODES} chosen={filters.widget_types} toggle={toggle} />
          </div>
        )}
      </Popover>
      {active.map(({ name, value }) => (
        <span key={`${name} ${value}`} class="chip">
          <span>
            {TITLES[name]}: <b>{name === 'publisher_ids' ? <PublisherName id={value} /> : wordOf(value)}</b>
          </span>
          <button
            type="button"
            aria-label={`Remove the filter ${TITLES[name]}: ${value}`}
            onClick={() => toggle(name, value)}
          >
            <Icon name="close" />
          </button>
        </span>
      ))}
      {active.length > 1 && (
        <button
          type="button"
          class="button small plain"
          onClick={() => change({ publisher_ids: [], page_types: [], widget_types: [] })}
        >
          Remove all
        </button>
      )}
    </>
  );
}

interface ConstantsProps {
  readonly name: FilterName;
  readonly all: readonly string[];
  readonly chosen: readonly string[];
  toggle(name: FilterName, value: string): void;
}

function Constants({ name, all, chosen, toggle }: ConstantsProps): JSX.Element {
  return (
    <fieldset class="choices">
      <legend>{TITLES[name]}</legend>
      {[...all, ...chosen.filter((value) => !all.includes(value))].map((value) => (
        <label key={value}>
          <input type="checkbox" checked={chosen.includes(value)} onChange={() => toggle(name, value)} />
          <span>{wordOf(value)}</span>
        </label>
      ))}
    </fieldset>
  );
}

function PublisherFilter({
  chosen,
  toggle,
}: {
  readonly chosen: readonly string[];
  toggle(id: string): void;
}): JSX.Element {
  return (
    <fieldset class="choices">
      <legend>Publisher</legend>
      <PublisherSearch>
        {({ id, name }) => (
          <label key={id}>
            <input type="checkbox" checked={chosen.includes(id)} onChange={() => toggle(id)} />
            <span>{name}</span>
          </label>
        )}
      </PublisherSearch>
    </fieldset>
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
export function Choices({
  label,
  icon,
  all,
  chosen,
  max = all.length,
  min = 0,
  note,
  choose,
}: ChoicesProps): JSX.Element {
  return (
    <Popover
      {...(icon ? { icon } : {})}
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
            const isChosen = chosen.includes(name);
            return (
              <label key={name}>
                <input
                  type="checkbox"
                  checked={isChosen}
                  disabled={isChosen ? chosen.length <= min : chosen.length >= max}
                  // Added ones go to the end: that is the order of the columns.
                  onChange={() => choose(isChosen ? chosen.filter((other) => other !== name) : [...chosen, name])}
                />
                <span>
                  {labelOf(name)} <code>{name}</code>
                </span>
              </label>
            );
          })}
          {note && <p class="quiet">{note}</p>}
        </fieldset>
      )}
    </Popover>
  );
}
