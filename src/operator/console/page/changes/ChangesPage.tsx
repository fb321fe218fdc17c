import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call, failureOf } from '../app/call.ts';
import { Link, useTitle } from '../app/router.tsx';
import { useResource } from '../app/useResource.ts';
import { Pending } from '../parts/FailurePanel.tsx';
import type { ConsoleCategories, ConsoleChanges, Failure } from '../../protocol.ts';
import { momentOf, plural } from '../../../reports/format.ts';

type ListedChange = ConsoleChanges['changes'][number];

/** What this account has changed in the channel, and a way back for exclusions. */
export function ChangesPage(): JSX.Element {
  useTitle('Changes');
  const resource = useResource({
    key: 'changes',
    load: async (signal) => {
      const [log, { categories }] = await Promise.all([
        call<ConsoleChanges>('changes', { signal }),
        call<ConsoleCategories>('categories', { signal }),
      ]);
      const names = categories.flatMap(({ name, subcategories }) =>
        subcategories.map((one): [string, string] => [one.remote_id, `${name} / ${one.name}`]),
      );
      return { ...log, names: new Map(names) };
    },
  });
  const { data, isLoading, reload } = resource;
  if (!data) return <Framed content={<Pending resource={resource} />} />;
  const { changes, count, path, names } = data;
  return (
    <Framed
      content={
        <div class={`content ${isLoading ? 'loading' : ''}`} aria-busy={isLoading}>
          <section class="card list changes" aria-label="Changes of the channel">
            {changes.length === 0 ? (
              <p class="none quiet">Nothing was changed from this account yet.</p>
            ) : (
              <ol>
                {changes.map((change) => (
                  <Entry key={change.id} change={change} names={names} reload={reload} />
                ))}
              </ol>
            )}
          </section>
          <p class="foot-note quiet">
            {changes.length < count && `These are the latest ${changes.length} of ${plural(count, 'change')}. `}
            The log has what this account changed on this machine, by commands and in the console; changes by others are
            not in it. It is <code>{path}</code>.
          </p>
        </div>
      }
    />
  );
}

function Framed({ content }: { readonly content: JSX.Element }): JSX.Element {
  return (
    <>
      <header class="page-head">
        <h1 tabindex={-1}>Changes</h1>
      </header>
      {content}
    </>
  );
}

interface EntryProps {
  readonly change: ListedChange;
  readonly names: ReadonlyMap<string, string>;
  reload(): void;
}

function Entry({ change, names, reload }: EntryProps): JSX.Element {
  const { id, at, by, from, outcome, canUndo, undoes } = change;
  const [isAsking, setAsking] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  async function undo(): Promise<void> {
    setBusy(true);
    setFailure(undefined);
    try {
      await call('changes/undo', { method: 'POST', body: { id } });
      setAsking(false);
      reload();
    } catch (error) {
      setFailure(failureOf(error));
    }
    setBusy(false);
  }
  return (
    <li>
      <div class="entry">
        <p>
          <ChangedThing change={change} />{' '}
          {outcome !== 'done' && (
            <span class={`badge ${outcome === 'failed' ? 'REJECTED' : 'NEEDS_INFO'}`}>{outcome}</span>
          )}
        </p>
        {canUndo && !isAsking && (
          <button type="button" class="button small" onClick={() => setAsking(true)}>
            Undo
          </button>
        )}
      </div>
      <What change={change} names={names} />
      <p class="quiet">
        {momentOf(at)}, {by}, {from === 'console' ? 'console' : 'command'}
        {undoes !== undefined && ', takes an earlier change back'}
        {outcome === 'unknown' && '. No response says whether it took effect.'}
      </p>
      {isAsking && (
        <div class="ask" role="group" aria-label="Take this change back">
          <p>
            {failure?.code === 'changed'
              ? 'The list was changed after this, so nothing was taken back. Change it on the page Exclusions.'
              : (failure?.message ?? 'The list becomes what it was before this change, for shoppers from now on.')}
          </p>
          <p class="row">
            <button type="button" class="button small" disabled={isBusy} onClick={() => setAsking(false)}>
              Cancel
            </button>
            <button
              type="button"
              class="button small primary"
              disabled={isBusy || failure?.code === 'changed'}
              onClick={() => void undo()}
            >
              {isBusy ? 'Taking back …' : 'Take back'}
            </button>
          </p>
        </div>
      )}
    </li>
  );
}

function ChangedThing({ change: { action, publisher, after } }: { readonly change: ListedChange }): JSX.Element {
  switch (action) {
    case 'exclusions':
      return (
        <>
          <b>Exclusions</b> of{' '}
          {publisher ? (
            <Link to={`exclusions?publisher=${encodeURIComponent(publisher.id)}`}>{publisher.name}</Link>
          ) : (
            <Link to="exclusions">the whole channel</Link>
          )}
        </>
      );
    case 'publishers added':
      return <b>{plural(Array.isArray(after) ? after.length : 0, 'publisher')} requested</b>;
    case 'publisher removed':
      return (
        <>
          <b>Publisher removed:</b> {publisher?.name}
        </>
      );
  }
}

/** What is different: names rather than ids, as far as they are still known. */
function What({ change, names }: Pick<EntryProps, 'change' | 'names'>): JSX.Element | null {
  const [before, after] = [change.before, change.after].map((list) => (Array.isArray(list) ? (list as unknown[]) : []));
  if (change.action === 'publisher removed') return null;
  if (change.action === 'publishers added')
    return (
      <p>
        <Names names={after?.map((item) => String((item as { brand_name?: unknown }).brand_name)) ?? []} />
      </p>
    );
  const nameOf = (id: unknown): string => names.get(String(id)) ?? String(id);
  const added = after?.filter((id) => !before?.includes(id)) ?? [];
  const removed = before?.filter((id) => !after?.includes(id)) ?? [];
  return (
    <>
      {added.length > 0 && (
        <p>
          <b class="bad">{added.length} more excluded:</b> <Names names={added.map(nameOf)} />
        </p>
      )}
      {removed.length > 0 && (
        <p>
          <b class="good">{removed.length} allowed again:</b> <Names names={removed.map(nameOf)} />
        </p>
      )}
    </>
  );
}

/** Names that are shown at once; an import has 50 in one change. */
const FEW = 8;

function Names({ names }: { readonly names: readonly string[] }): JSX.Element {
  const [isAll, setAll] = useState(false);
  if (names.length <= FEW + 2) return <>{names.join(', ')}</>;
  return (
    <>
      {(isAll ? names : names.slice(0, FEW)).join(', ')}{' '}
      <button type="button" class="more-names" aria-expanded={isAll} onClick={() => setAll(!isAll)}>
        {isAll ? 'show fewer' : `and ${names.length - FEW} more`}
      </button>
    </>
  );
}
