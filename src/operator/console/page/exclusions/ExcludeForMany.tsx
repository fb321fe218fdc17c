import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call, CallError } from '../app/call.ts';
import { useUnsaved } from '../app/router.tsx';
import { useCall, useWork } from '../app/useResource.ts';
import { Button } from '../parts/controls.tsx';
import { Pending, ProblemNote } from '../parts/FailurePanel.tsx';
import { Icon } from '../parts/icons.tsx';
import { PageHead } from '../parts/layout.tsx';
import { CategoryTree, namesIn } from './CategoryTree.tsx';
import type { ManyExcluded } from '../../protocol.ts';
import type { ExcludedPublisher, ExclusionOutcome, PublisherChange } from '../../../operations/excludeForMany.ts';
import { plural } from '../../../reports/format.ts';
import type { Category } from '../../../../wire/channel.ts';

interface ManyProps {
  readonly publishers: readonly ExcludedPublisher[];
  /** Returns to the list. */
  close(): void;
}

/** Publishers of one call: the page says how far it is after each. */
const CALL_SIZE = 10;

/** Excludes subcategories for the chosen publishers: what each would get, saving, and undoing exactly what was added. */
export function ExcludeForMany({ publishers, close }: ManyProps): JSX.Element {
  const resource = useCall<readonly Category[]>('categories');
  return (
    <>
      <PageHead title={`Exclude for ${plural(publishers.length, 'publisher')}`}>
        <Button icon="back" onClick={close}>
          Back to the list
        </Button>
      </PageHead>
      {resource.data ? (
        <Choice publishers={publishers} categories={resource.data} />
      ) : (
        <Pending resource={resource} label="Reading the categories …" cards={[5, 5, 5, 4, 7, 4]} shape="tree" />
      )}
    </>
  );
}

interface ChoiceProps extends Pick<ManyProps, 'publishers'> {
  readonly categories: readonly Category[];
}

function Choice({ publishers, categories }: ChoiceProps): JSX.Element {
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, ExclusionOutcome>>(new Map());
  const [said, setSaid] = useState('');
  const { isBusy, failure, run } = useWork();
  const nameOf = namesIn(categories);
  const isSaved = outcomes.size > 0;
  const changes = publishers
    .filter(({ id }) => !['changed', 'unchanged'].includes(outcomes.get(id)?.status ?? ''))
    .map(({ id, name, subcategory_ids: before }) => ({
      publisher_id: id,
      name,
      subcategory_ids: chosen.filter((one) => !before.includes(one)),
    }))
    .filter(({ subcategory_ids }) => subcategory_ids.length > 0);
  const undoable = [...outcomes].flatMap(([publisher_id, outcome]) =>
    outcome.status === 'changed' ? [{ publisher_id, subcategory_ids: outcome.subcategory_ids }] : [],
  );
  useUnsaved(chosen.length > 0 && !isSaved, 'Leave without saving the exclusions?');

  async function change(kind: 'add' | 'remove', all: readonly PublisherChange[]): Promise<void> {
    let done = 0;
    for (let start = 0; start < all.length; start += CALL_SIZE) {
      setSaid(`${kind === 'add' ? 'Saving' : 'Undoing'}: ${start} of ${all.length} …`);
      const some = all.slice(start, start + CALL_SIZE).map(({ publisher_id, subcategory_ids }) => ({
        publisher_id,
        subcategory_ids,
      }));
      const result = await call<ManyExcluded>('exclusions-of-many', { method: 'POST', body: { kind, changes: some } });
      done += result.outcomes.filter(({ status }) => status === 'changed').length;
      setOutcomes((known) => {
        const next = new Map(known);
        for (const [index, { publisher_id }] of some.entries()) {
          const outcome = result.outcomes[index];
          // What was undone can be saved again.
          if (kind === 'remove' && outcome && outcome.status !== 'failed' && outcome.status !== 'not sent')
            next.delete(publisher_id);
          else if (kind === 'add' && outcome) next.set(publisher_id, outcome);
        }
        return next;
      });
      if (result.failure) throw new CallError(result.failure);
    }
    setSaid(`${kind === 'add' ? 'Excluded for' : 'Undone for'} ${plural(done, 'publisher')}.`);
  }

  const failed = publishers.flatMap(({ id, name }) => {
    const outcome = outcomes.get(id);
    const reason =
      outcome?.status === 'gone' ? 'is no longer in the channel' : outcome && 'reason' in outcome && outcome.reason;
    return reason ? [{ id, name, reason }] : [];
  });
  return (
    <>
      <p class="lead quiet">What you tick is excluded for each of them, beside what is excluded already.</p>
      <CategoryTree
        categories={categories}
        chosen={chosen}
        before={[]}
        choose={(ids) => {
          setChosen(ids);
          setOutcomes(new Map());
          setSaid('');
        }}
      />
      {(chosen.length > 0 || said !== '') && (
        <section class="savebar" aria-label="Changes">
          <div class="diff">
            <p role="status">
              {said !== '' ? (
                <b>{said}</b>
              ) : (
                <>
                  <b class="bad">{`${plural(changes.length, 'publisher')} will change: `}</b>
                  {chosen.map(nameOf).join(', ')}
                </>
              )}
            </p>
            {!isSaved && (
              <details>
                <summary>By publisher</summary>
                <ul>
                  {publishers.map(({ id, name }) => (
                    <li key={id}>
                      {name}:{' '}
                      {changes
                        .find(({ publisher_id }) => publisher_id === id)
                        ?.subcategory_ids.map((one) => `+ ${nameOf(one)}`)
                        .join(', ') ?? <span class="quiet">nothing, it is excluded already</span>}
                    </li>
                  ))}
                </ul>
              </details>
            )}
            {failed.map(({ id, name, reason }) => (
              <ProblemNote key={id}>
                {name}: {reason}
              </ProblemNote>
            ))}
            {failure && <ProblemNote>{failure.message}</ProblemNote>}
          </div>
          <p class="row">
            {undoable.length > 0 && (
              <Button disabled={isBusy} onClick={() => void run(() => change('remove', undoable))}>
                Undo
              </Button>
            )}
            {changes.length > 0 && (
              <Button kind="primary" disabled={isBusy} onClick={() => void run(() => change('add', changes))}>
                {isSaved ? 'Save the rest' : 'Save'}
              </Button>
            )}
            {changes.length === 0 && isSaved && <Icon name="check" />}
          </p>
        </section>
      )}
    </>
  );
}
