import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { call } from '../app/call.ts';
import { Link, useUnsaved, type PageProps } from '../app/router.tsx';
import { useResource, useWork } from '../app/useResource.ts';
import { Button } from '../parts/controls.tsx';
import { CategoryTree, namesIn } from './CategoryTree.tsx';
import { Pending, ProblemNote } from '../parts/FailurePanel.tsx';
import { Icon } from '../parts/icons.tsx';
import { PageHead } from '../parts/layout.tsx';
import { Popover } from '../parts/Popover.tsx';
import { PublisherSearch } from '../parts/PublisherSearch.tsx';
import type { ConsolePublisher } from '../../protocol.ts';
import type { Category } from '../../../../wire/channel.ts';

/** What is excluded, for the whole channel or for one publisher. */
export function ExclusionsPage({ place }: PageProps): JSX.Element {
  const publisher = place.params.get('publisher') || undefined;
  const resource = useResource({
    key: publisher ?? '',
    load: async (signal) => {
      const [categories, channel, one] = await Promise.all([
        call<readonly Category[]>('categories', { signal }),
        call<{ channel: readonly string[] }>('exclusions', { signal }),
        publisher === undefined
          ? undefined
          : call<ConsolePublisher>(`publishers/${encodeURIComponent(publisher)}`, { signal }),
      ]);
      return { categories, channel: channel.channel, publisher: one?.publisher };
    },
  });
  const data = resource.isCurrent ? resource.data : undefined;
  const name = data?.publisher?.brand_name;
  return (
    <>
      <PageHead title="Exclusions" documentTitle={name === undefined ? 'Exclusions' : `Exclusions for ${name}`}>
        <div class="row scope">
          <span class="quiet">For</span>
          <Scope publisher={publisher} name={name} />
        </div>
      </PageHead>
      {!resource.failure && (
        <p class="lead quiet">
          Offers in the ticked subcategories are not shown{' '}
          {publisher === undefined ? 'by any publisher of the channel' : `by ${name ?? 'this publisher'}`}.
        </p>
      )}
      {data ? (
        <ExclusionTree
          key={publisher}
          categories={data.categories}
          publisher={publisher}
          own={data.publisher ? data.publisher.exclusions.subcategories.publisher : data.channel}
          channel={data.publisher ? data.channel : []}
          external={data.publisher?.exclusions.subcategories.external ?? []}
          reload={resource.reload}
        />
      ) : (
        <Pending resource={resource} cards={[5, 5, 5, 4, 7, 4, 5, 4, 4]} shape="tree" />
      )}
    </>
  );
}

/** Chooses the whole channel or one of its publishers. */
function Scope({ publisher, name }: Pick<TreeProps, 'publisher'> & { name: string | undefined }): JSX.Element {
  const shown = publisher === undefined ? 'The whole channel' : (name ?? publisher.slice(0, 8));
  const place = (id: string | undefined): string =>
    id === undefined ? 'exclusions' : `exclusions?publisher=${encodeURIComponent(id)}`;
  return (
    <Popover name={`Exclusions for: ${shown}`} hasArrow label={<span>{shown}</span>}>
      {(close) => {
        const option = (id: string | undefined, text: string): JSX.Element => (
          <Link key={id} to={place(id)} onClick={close} aria-current={id === publisher ? 'true' : undefined}>
            {text}
          </Link>
        );
        return (
          <div class="menu">
            <PublisherSearch first={option(undefined, 'The whole channel')}>
              {({ id, name: text }) => option(id, text)}
            </PublisherSearch>
          </div>
        );
      }}
    </Popover>
  );
}

interface TreeProps {
  readonly categories: readonly Category[];
  readonly publisher: string | undefined;
  /** What this page changes. */
  readonly own: readonly string[];
  /** What the channel excludes for all publishers, when one publisher is shown. */
  readonly channel: readonly string[];
  /** What the publisher excludes itself. */
  readonly external: readonly string[];
  reload(): void;
}

/** The categories with a box for each subcategory, what else excludes it, and what saving would change. */
function ExclusionTree({ categories, publisher, own, channel, external, reload }: TreeProps): JSX.Element {
  const [saved, setSaved] = useState(own);
  const [chosen, setChosen] = useState(own);
  const [undo, setUndo] = useState<readonly string[]>();
  const { isBusy, failure, run, forget } = useWork();
  const notice = useRef<HTMLParagraphElement>(null);
  const tree = useRef<HTMLDivElement>(null);
  // The button that was pressed is gone.
  useEffect(() => notice.current?.focus(), [undo]);
  // The page may have read the list again; at once, or it takes back a box that is ticked before the next paint.
  useLayoutEffect(() => {
    setSaved(own);
    setChosen(own);
    setUndo(undefined);
  }, [own]);
  const { added, removed } = exclusionDiff(saved, chosen);
  const isChanged = added.length + removed.length > 0;
  const changes = (
    [
      ['bad', 'more excluded', added],
      ['good', 'allowed again', removed],
    ] as const
  ).filter(([, , ids]) => ids.length > 0);
  const nameOf = namesIn(categories);

  useUnsaved(isChanged, 'Leave without saving the exclusions?');

  async function save(list: readonly string[]): Promise<void> {
    const path = publisher === undefined ? 'exclusions' : `publishers/${encodeURIComponent(publisher)}/exclusions`;
    const body = { subcategory_ids: list, base: saved };
    if (!(await run(() => call(path, { method: 'PUT', body })))) return;
    setUndo(saved);
    setSaved(list);
    // What was ticked meanwhile stays.
    setChosen((now) => (now === chosen ? list : now));
  }

  /** The bar with the button that was pressed goes. */
  function leaveBar(): void {
    forget();
    tree.current?.focus();
  }

  return (
    <>
      {undo && !isChanged && (
        <p class="notice" role="status" tabIndex={-1} ref={notice}>
          <Icon name="check" />
          <span>Saved. Shoppers see the change from now on.</span>
          <Button kind="small" disabled={isBusy} onClick={() => void save(undo)}>
            Undo
          </Button>
        </p>
      )}
      <CategoryTree
        categories={categories}
        chosen={chosen}
        choose={setChosen}
        before={saved}
        tree={tree}
        note={(id) => (
          <>
            {/* Who else excludes it; that is not changed here. */}
            {channel.includes(id) && <small class="badge">by the channel</small>}
            {external.includes(id) && <small class="badge">by the publisher itself</small>}
          </>
        )}
      />
      {(isChanged || failure) && (
        <section class="savebar" aria-label="Changes">
          <div class="diff" role="status">
            {changes.map(([kind, what, ids]) => (
              <p key={kind}>
                <b class={kind}>{`${ids.length} ${what}: `}</b>
                {ids.map(nameOf).join(', ')}
              </p>
            ))}
            {failure?.kind === 'conflict' ? (
              <ProblemNote>
                Somebody else has changed this list meanwhile. Nothing was saved.
                <Button
                  kind="small"
                  onClick={() => {
                    leaveBar();
                    reload();
                  }}
                >
                  Show the new list
                </Button>
              </ProblemNote>
            ) : (
              failure && <ProblemNote>{failure.message}</ProblemNote>
            )}
          </div>
          <p class="row">
            <Button
              disabled={isBusy}
              onClick={() => {
                setChosen(saved);
                leaveBar();
              }}
            >
              Discard
            </Button>
            <Button kind="primary" disabled={!isChanged || isBusy} onClick={() => void save(chosen)}>
              {isBusy ? 'Saving …' : 'Save'}
            </Button>
          </p>
        </section>
      )}
    </>
  );
}

/** What saving would change, whatever the order of the two lists. */
export function exclusionDiff(
  before: readonly string[],
  after: readonly string[],
): Readonly<Record<'added' | 'removed', readonly string[]>> {
  return {
    added: after.filter((id) => !before.includes(id)),
    removed: before.filter((id) => !after.includes(id)),
  };
}
