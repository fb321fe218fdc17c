import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { call, failureOf } from '../app/call.ts';
import { LEAVING } from '../app/router.tsx';
import { Icon } from '../parts/icons.tsx';
import { SearchField } from '../parts/SearchField.tsx';
import type { Failure } from '../../protocol.ts';
import type { Category, Subcategory } from '../../../../wire/channel.ts';

interface TreeProps {
  readonly categories: readonly Category[];
  readonly publisher: string | undefined;
  readonly name: string | undefined;
  /** What this page changes. */
  readonly own: readonly string[];
  /** What the channel excludes for all publishers, when one publisher is shown. */
  readonly channel: readonly string[];
  /** What the publisher excludes itself. */
  readonly external: readonly string[];
  reload(): void;
}

/** The categories with a box for each subcategory, what else excludes it, and what saving would change. */
export function ExclusionTree({ categories, publisher, name, own, channel, external, reload }: TreeProps): JSX.Element {
  const [words, setWords] = useState('');
  const [saved, setSaved] = useState(own);
  const [chosen, setChosen] = useState(own);
  const [undo, setUndo] = useState<readonly string[]>();
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  // The page may have read the list again.
  useEffect(() => {
    setSaved(own);
    setChosen(own);
  }, [own]);
  const { added, removed } = exclusionDiff(saved, chosen);
  const isChanged = added.length + removed.length > 0;
  const shown = searchCategories(categories, words);
  const nameOf = (id: string): string =>
    categories.flatMap(({ subcategories }) => subcategories).find(({ remote_id }) => remote_id === id)?.name ?? id;

  // With the change itself, not after the next paint: the page may be closed before that.
  useLayoutEffect(() => {
    if (!isChanged) return undefined;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    const ask = (event: Event): void => {
      if (!confirm('Leave without saving the exclusions?')) event.preventDefault();
    };
    addEventListener('beforeunload', warn);
    addEventListener(LEAVING, ask);
    return () => {
      removeEventListener('beforeunload', warn);
      removeEventListener(LEAVING, ask);
    };
  }, [isChanged]);

  async function save(list: readonly string[]): Promise<void> {
    setBusy(true);
    setFailure(undefined);
    const path = publisher === undefined ? 'exclusions' : `publishers/${encodeURIComponent(publisher)}/exclusions`;
    try {
      await call(path, { method: 'PUT', body: { subcategory_ids: list, base: saved } });
      setUndo(undo === list ? undefined : saved);
      setSaved(list);
      setChosen(list);
    } catch (error) {
      setFailure(failureOf(error));
    }
    setBusy(false);
  }

  function toggle(ids: readonly string[], isOn: boolean): void {
    setChosen(
      isOn ? [...chosen, ...ids.filter((id) => !chosen.includes(id))] : chosen.filter((id) => !ids.includes(id)),
    );
  }

  return (
    <>
      <p class="lead quiet">
        Offers in the ticked subcategories are not shown{' '}
        {publisher === undefined ? 'by any publisher of the channel' : `by ${name ?? 'this publisher'}`}.
      </p>
      <SearchField label="Search categories" value={words} change={setWords} />
      {undo && !isChanged && (
        <p class="notice" role="status">
          <Icon name="check" />
          <span>Saved. Shoppers see the change from now on.</span>
          <button type="button" class="button small" disabled={isBusy} onClick={() => void save(undo)}>
            Undo
          </button>
        </p>
      )}
      <div class="tree">
        {shown.map((category) => (
          <Branch
            key={category.remote_id}
            category={category}
            chosen={chosen}
            saved={saved}
            channel={channel}
            external={external}
            toggle={toggle}
          />
        ))}
        {shown.length === 0 && <p class="empty">No category matches “{words}”.</p>}
      </div>
      {(isChanged || failure) && (
        <section class="savebar" aria-label="Changes">
          <div class="diff" role="status">
            {added.length > 0 && (
              <p>
                <b class="bad">{added.length} more excluded:</b> {added.map(nameOf).join(', ')}
              </p>
            )}
            {removed.length > 0 && (
              <p>
                <b class="good">{removed.length} allowed again:</b> {removed.map(nameOf).join(', ')}
              </p>
            )}
            {failure && (
              <p class="problem" role="alert">
                {failure.code === 'changed'
                  ? 'Somebody else has changed this list meanwhile. Nothing was saved.'
                  : failure.message}
                {failure.code === 'changed' && (
                  <button
                    type="button"
                    class="button small"
                    onClick={() => {
                      setFailure(undefined);
                      reload();
                    }}
                  >
                    Show the new list
                  </button>
                )}
              </p>
            )}
          </div>
          <p class="row">
            <button
              type="button"
              class="button"
              disabled={isBusy}
              onClick={() => {
                setChosen(saved);
                setFailure(undefined);
              }}
            >
              Discard
            </button>
            <button
              type="button"
              class="button primary"
              disabled={isBusy || !isChanged}
              onClick={() => void save(chosen)}
            >
              {isBusy ? 'Saving …' : 'Save'}
            </button>
          </p>
        </section>
      )}
    </>
  );
}

interface BranchProps {
  readonly category: Category;
  readonly chosen: readonly string[];
  readonly saved: readonly string[];
  readonly channel: readonly string[];
  readonly external: readonly string[];
  toggle(ids: readonly string[], isOn: boolean): void;
}

function Branch({ category, chosen, saved, channel, external, toggle }: BranchProps): JSX.Element {
  const ids = category.subcategories.map(({ remote_id }) => remote_id);
  const on = ids.filter((id) => chosen.includes(id)).length;
  return (
    <fieldset class="card branch">
      <legend class="hidden">{category.name}</legend>
      <label class="whole">
        <input
          type="checkbox"
          checked={on === ids.length && on > 0}
          ref={(input) => {
            if (input) input.indeterminate = on > 0 && on < ids.length;
          }}
          onChange={(event) => toggle(ids, event.currentTarget.checked)}
        />
        <b>{category.name}</b>
        <span class="count">
          {on} of {ids.length}
        </span>
      </label>
      {category.subcategories.map((subcategory) => (
        <Leaf
          key={subcategory.remote_id}
          subcategory={subcategory}
          isOn={chosen.includes(subcategory.remote_id)}
          wasOn={saved.includes(subcategory.remote_id)}
          by={[
            ...(channel.includes(subcategory.remote_id) ? ['by the channel'] : []),
            ...(external.includes(subcategory.remote_id) ? ['by the publisher itself'] : []),
          ]}
          toggle={toggle}
        />
      ))}
    </fieldset>
  );
}

interface LeafProps {
  readonly subcategory: Subcategory;
  readonly isOn: boolean;
  readonly wasOn: boolean;
  /** Who else excludes it; that is not changed here. */
  readonly by: readonly string[];
  toggle(ids: readonly string[], isOn: boolean): void;
}

function Leaf({ subcategory, isOn, wasOn, by, toggle }: LeafProps): JSX.Element {
  return (
    <label class={isOn === wasOn ? 'leaf' : 'leaf changed'}>
      <input
        type="checkbox"
        checked={isOn}
        onChange={(event) => toggle([subcategory.remote_id], event.currentTarget.checked)}
      />
      <span>{subcategory.name}</span>
      {by.map((who) => (
        <small key={who} class="badge plain">
          {who}
        </small>
      ))}
    </label>
  );
}

/** What saving would change. */
export interface ExclusionDiff {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** Compares two lists of ids, whatever their order. */
export function exclusionDiff(before: readonly string[], after: readonly string[]): ExclusionDiff {
  return {
    added: after.filter((id) => !before.includes(id)),
    removed: before.filter((id) => !after.includes(id)),
  };
}

/** Returns the categories that match the words, each with those subcategories that do; all of a category whose own name does. */
export function searchCategories(categories: readonly Category[], words: string): readonly Category[] {
  const parts = words.toLowerCase().split(/\s+/).filter(Boolean);
  const has = (name: string): boolean => parts.every((part) => name.toLowerCase().includes(part));
  if (parts.length === 0) return categories;
  return categories.flatMap((category) => {
    if (has(category.name)) return [category];
    const subcategories = category.subcategories.filter(({ name }) => has(name));
    return subcategories.length > 0 ? [{ ...category, subcategories }] : [];
  });
}
