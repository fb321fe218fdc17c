import type { JSX } from 'preact';
import { DISPLAY_MODES, VIEWS } from '../../../../wire/offers/request.ts';
import { call } from '../app/call.ts';
import { useResource } from '../app/useResource.ts';
import { Icon } from '../parts/icons.tsx';
import { Popover } from '../parts/Popover.tsx';
import { PublisherSearch } from '../parts/PublisherSearch.tsx';
import { wordOf } from '../parts/format.ts';
import type { FilterName, ReportState, Variant } from './reportState.ts';

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
