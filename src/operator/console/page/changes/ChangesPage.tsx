import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../app/call.ts';
import { Link } from '../app/router.tsx';
import { useResource, useWork } from '../app/useResource.ts';
import { Diff, exclusionDiff } from '../exclusions/ExclusionsPage.tsx';
import { Button } from '../parts/controls.tsx';
import { Pending } from '../parts/FailurePanel.tsx';
import { PageHead } from '../parts/layout.tsx';
import type { ConsoleCategories, ConsoleChanges } from '../../protocol.ts';
import { createTaxonomy } from '../../../publishers/taxonomy.ts';
import { momentOf, plural } from '../../../reports/format.ts';

type ListedChange = ConsoleChanges['changes'][number];

/** What this account has changed in the channel, and a way back for exclusions. */
export function ChangesPage(): JSX.Element {
  const resource = useResource({
    key: 'changes',
    load: async (signal) => {
      const [log, { categories }] = await Promise.all([
        call<ConsoleChanges>('changes', { signal }),
        call<ConsoleCategories>('categories', { signal }),
      ]);
      return { ...log, nameOf: createTaxonomy(categories).nameOf };
    },
  });
  const { data, isLoading, reload } = resource;
  return (
    <>
      <PageHead title="Changes" />
      {data ? (
        <div class={`content ${isLoading ? 'loading' : ''}`} aria-busy={isLoading}>
          <section class="card list changes" aria-label="Changes of the channel">
            {data.changes.length === 0 ? (
              <p class="none quiet">Nothing was changed from this account yet.</p>
            ) : (
              <ol>
                {data.changes.map((change) => (
                  <Entry key={change.id} change={change} nameOf={data.nameOf} reload={reload} />
                ))}
              </ol>
            )}
          </section>
          <p class="foot-note quiet">
            {data.changes.length < data.count &&
              `These are the latest ${data.changes.length} of ${plural(data.count, 'change')}. `}
            The log has what this account changed on this machine, by commands and in the console; changes by others are
            not in it. It is <code>{data.path}</code>.
          </p>
        </div>
      ) : (
        <Pending resource={resource} />
      )}
    </>
  );
}

interface EntryProps {
  readonly change: ListedChange;
  /** The name of a subcategory; its id where that is no longer known. */
  nameOf(id: string): string;
  reload(): void;
}

function Entry({ change, nameOf, reload }: EntryProps): JSX.Element {
  const { id, at, by, from, outcome, canUndo, undoes } = change;
  const [isAsking, setAsking] = useState(false);
  const { isBusy, failure, run } = useWork();
  async function undo(): Promise<void> {
    if (!(await run(() => call('changes/undo', { method: 'POST', body: { id } })))) return;
    setAsking(false);
    reload();
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
          <Button kind="small" onClick={() => setAsking(true)}>
            Undo
          </Button>
        )}
      </div>
      <What change={change} nameOf={nameOf} />
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
            <Button kind="small" disabled={isBusy} onClick={() => setAsking(false)}>
              Cancel
            </Button>
            <Button kind="small primary" disabled={isBusy || failure?.code === 'changed'} onClick={() => void undo()}>
              {isBusy ? 'Taking back …' : 'Take back'}
            </Button>
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
function What({ change, nameOf }: Pick<EntryProps, 'change' | 'nameOf'>): JSX.Element | null {
  const [before = [], after = []] = [change.before, change.after].map((list): unknown[] =>
    Array.isArray(list) ? list : [],
  );
  if (change.action === 'publisher removed') return null;
  if (change.action === 'publishers added')
    return (
      <p>
        <Names names={after.map((item) => String((item as { brand_name?: unknown }).brand_name))} />
      </p>
    );
  const { added, removed } = exclusionDiff(before.map(String), after.map(String));
  return <Diff added={added} removed={removed} show={(ids) => <Names names={ids.map(nameOf)} />} />;
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
