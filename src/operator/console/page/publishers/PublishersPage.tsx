import type { ComponentChildren, ComponentProps, JSX } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { go, Link, type PageProps } from '../app/router.tsx';
import { call } from '../app/call.ts';
import { useCall, useWork } from '../app/useResource.ts';
import { ExcludeForMany } from '../exclusions/ExcludeForMany.tsx';
import { Button, SearchField, Segments } from '../parts/controls.tsx';
import { Pending, ProblemNote, StaleBanner } from '../parts/FailurePanel.tsx';
import { Icon } from '../parts/icons.tsx';
import { type Header, PageHead, Table } from '../parts/layout.tsx';
import type { ConsolePublishers, PublisherOrder } from '../../protocol.ts';
import type { ExcludedPublisher } from '../../../operations/excludeForMany.ts';
import { dayText, plural, inWords } from '../../../reports/format.ts';
import { PUBLISHER_STATUSES } from '../../../../wire/channel.ts';

/** The last one is no status: approved publishers without a click in the last 28 days. */
const FILTERS = ['', ...PUBLISHER_STATUSES, 'NO_CLICKS'].map((value) => [value, inWords(value) || 'All'] as const);
/** The order of the API. */
const NEWEST = '-added';
/** Milliseconds after the last key before the search begins. */
const PAUSE_MS = 150;

/** The list of publishers and requests, with a search as you type. Its whole state is in the URL. */
export function PublishersPage({ place }: PageProps): JSX.Element {
  const q = place.params.get('q') ?? '';
  const status = place.params.get('status') ?? '';
  const sort = place.params.get('sort') ?? '';
  const page = Math.max(1, Number(place.params.get('page')) || 1);
  // What the URL does not say yet.
  const [typed, setTyped] = useState<{ readonly words: string; readonly place: string }>();
  const words = typed?.place === String(place.params) ? typed.words : q;
  const show = (state: Partial<ListState>, options?: { replace: boolean }): void => {
    go(pathOf({ q: words, status, sort, page: 1, ...state }), options);
    scrollTo(0, 0);
  };
  const type = (text: string): void => setTyped({ words: text, place: String(place.params) });
  // Before anything else runs: a timer of what was shown before would take back a status that was chosen meanwhile.
  useLayoutEffect(() => {
    if (words === q) return undefined;
    const timer = setTimeout(() => show({}, { replace: true }), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [words, q, status, sort]);
  const resource = useCall<ConsolePublishers>(pathOf({ q, status, sort, page }));
  const { data, isLoading } = resource;
  const pages = data ? Math.max(1, Math.ceil(data.count / data.page_size)) : 1;
  const [chosen, setChosen] = useState<Chosen>(new Map());
  const [isExcluding, setExcluding] = useState(false);
  const { isBusy, failure, run } = useWork();
  const chooseAll = async (): Promise<void> => {
    const all = await call<readonly ExcludedPublisher[]>(`chosen-publishers?q=${encodeURIComponent(q)}`);
    setChosen(new Map(all.map((one) => [one.id, one])));
  };
  if (isExcluding)
    return (
      <ExcludeForMany
        publishers={[...chosen.values()]}
        close={() => {
          setExcluding(false);
          setChosen(new Map());
          resource.reload();
        }}
      />
    );

  return (
    <>
      <PageHead title="Publishers">
        <Link to="publishers/add" class="button primary">
          <Icon name="plus" /> Add publishers
        </Link>
      </PageHead>
      <div class="row find">
        <SearchField label="Search publishers by name" placeholder="Search by name" value={words} change={type} />
        <Segments label="Status" options={FILTERS} value={status} choose={(value) => show({ status: value })} />
      </div>
      {chosen.size > 0 && (
        <section class="row chosen" aria-label="Chosen publishers">
          <p role="status">
            <b>{plural(chosen.size, 'publisher')} chosen</b>
          </p>
          {(status === '' || status === 'APPROVED') && pages > 1 && (
            <Button kind="small" disabled={isBusy} onClick={() => void run(chooseAll)}>
              {isBusy ? 'Reading …' : q === '' ? 'Choose all of the channel' : 'Choose all that match'}
            </Button>
          )}
          <Button kind="small" onClick={() => setChosen(new Map())}>
            Choose none
          </Button>
          <Button kind="small primary" onClick={() => setExcluding(true)}>
            Exclude categories …
          </Button>
          {failure && <ProblemNote>{failure.message}</ProblemNote>}
        </section>
      )}
      <StaleBanner resource={resource} />
      {!data ? (
        <Pending resource={resource} />
      ) : (
        <section class={`card list ${isLoading ? 'loading' : ''}`} aria-busy={isLoading} aria-label="Publishers">
          <List
            list={data}
            isFiltered={q !== '' || status !== '' || page > 1}
            sort={sort}
            order={(by) => show({ sort: by })}
            chosen={chosen}
            choose={setChosen}
          />
          {data.count > 0 && (
            <footer>
              <p class="quiet" role="status">
                {plural(data.count, 'publisher')}
                {pages > 1 && `, page ${page} of ${pages}`}
              </p>
              {pages > 1 && (
                <p class="row">
                  <Button kind="small" disabled={page <= 1} onClick={() => show({ page: page - 1 })}>
                    Previous
                  </Button>
                  <Button kind="small" disabled={page >= pages} onClick={() => show({ page: page + 1 })}>
                    Next
                  </Button>
                </p>
              )}
            </footer>
          )}
        </section>
      )}
    </>
  );
}

interface ListProps {
  readonly list: ConsolePublishers;
  readonly isFiltered: boolean;
  readonly sort: string;
  readonly chosen: Chosen;
  order(sort: string): void;
  choose(chosen: Chosen): void;
}

/** The publishers that something will be done with, by id. */
type Chosen = ReadonlyMap<string, ExcludedPublisher>;

function List({ list, isFiltered, sort, order, chosen, choose }: ListProps): JSX.Element {
  if (list.publishers.length === 0)
    return (
      <div class="empty">
        <p>
          <b>{isFiltered ? 'No publisher matches.' : 'This channel has no publishers yet.'}</b>
        </p>
        <p>{isFiltered ? <Link to="publishers">Show all</Link> : <Link to="publishers/add">Add the first</Link>}</p>
      </div>
    );
  const sorted = (text: ComponentChildren, key: PublisherOrder, className?: string): ComponentProps<typeof Header> => {
    const isDown = [key, `-${key}`].includes(sort || NEWEST) ? (sort || NEWEST).startsWith('-') : undefined;
    return { text, class: className, isDown, sort: () => order((isDown ?? key === 'name') ? key : `-${key}`) };
  };
  const approved = list.publishers.flatMap((one) =>
    one.status === 'APPROVED'
      ? [
          {
            id: one.publisher_remote_id,
            name: one.brand_name,
            subcategory_ids: one.exclusions.subcategories.publisher,
          },
        ]
      : [],
  );
  const tick = (some: readonly ExcludedPublisher[], isOn: boolean): void => {
    const next = new Map(chosen);
    for (const one of some)
      if (isOn) next.set(one.id, one);
      else next.delete(one.id);
    choose(next);
  };
  const all = approved.filter(({ id }) => chosen.has(id)).length;
  const box = (label: string, some: readonly ExcludedPublisher[], isOn: boolean): JSX.Element => (
    <input
      type="checkbox"
      aria-label={label}
      checked={isOn}
      disabled={some.length === 0}
      onChange={(event) => tick(some, event.currentTarget.checked)}
    />
  );
  const columns = [
    { text: box('Choose all on this page', approved, all > 0 && all === approved.length), class: 'tick' },
    sorted('Publisher', 'name'),
    'Status',
    { text: 'Category', class: 'wide-only' },
    sorted('Added', 'added', 'wide-only'),
    sorted(['Clicks ', <span class="wide-only">(28 days)</span>], 'clicks', 'number'),
  ];
  return (
    <Table class="publishers" columns={columns}>
      {list.publishers.map((publisher) => {
        const id = publisher.publisher_remote_id ?? publisher.pending_publisher_id ?? '';
        return (
          <tr key={id}>
            <td class="tick">
              {publisher.status === 'APPROVED' &&
                box(
                  `Choose ${publisher.brand_name}`,
                  approved.filter((one) => one.id === id),
                  chosen.has(id),
                )}
            </td>
            <th scope="row">
              <Link to={`publishers/${encodeURIComponent(id)}`}>{publisher.brand_name}</Link>
            </th>
            <td>
              <span class={`badge ${publisher.status}`}>{inWords(publisher.status)}</span>
            </td>
            <td class="wide-only">{publisher.primary_category}</td>
            <td class="wide-only quiet">{dayText(publisher.created_at)}</td>
            <td class="number">{publisher.clicks?.toLocaleString('en') ?? '—'}</td>
          </tr>
        );
      })}
    </Table>
  );
}

interface ListState {
  readonly q: string;
  readonly status: string;
  /** A column, with a hyphen for the highest first; empty for the newest first. */
  readonly sort: string;
  readonly page: number;
}

/** The path of the page, and of its call. */
function pathOf({ q, status, sort, page }: ListState): string {
  const params = new URLSearchParams();
  if (q !== '') params.set('q', q);
  if (status !== '') params.set('status', status);
  if (sort !== '' && sort !== NEWEST) params.set('sort', sort);
  if (page > 1) params.set('page', String(page));
  return params.size > 0 ? `publishers?${params}` : 'publishers';
}
