import type { ComponentChildren, JSX, RefObject } from 'preact';
import { useState } from 'preact/hooks';
import { SearchField } from '../parts/controls.tsx';
import type { Category } from '../../../../wire/channel.ts';

interface CategoryTreeProps {
  readonly categories: readonly Category[];
  /** The subcategories that are ticked. */
  readonly chosen: readonly string[];
  /** What was ticked before: the rest is marked as a change. */
  readonly before: readonly string[];
  readonly tree?: RefObject<HTMLDivElement | null>;
  choose(ids: readonly string[]): void;
  /** What is said beside a subcategory. */
  note?(id: string): ComponentChildren;
}

/** The categories with a box for each subcategory, and a search among them. */
export function CategoryTree(props: CategoryTreeProps): JSX.Element {
  const { categories, chosen, before, tree, choose, note } = props;
  const [words, setWords] = useState('');
  const shown = searchCategories(categories, words);
  const toggle = (ids: readonly string[], isOn: boolean): void =>
    choose(isOn ? [...chosen, ...ids.filter((id) => !chosen.includes(id))] : chosen.filter((id) => !ids.includes(id)));
  return (
    <>
      <SearchField label="Search categories" value={words} change={setWords} />
      <div class="tree" role="group" aria-label="Categories" tabindex={-1} {...(tree && { ref: tree })}>
        {shown.map(({ remote_id, name: title, subcategories }) => {
          const ids = subcategories.map(({ remote_id: id }) => id);
          const on = ids.filter((id) => chosen.includes(id)).length;
          return (
            <fieldset key={remote_id} class="card branch">
              <legend class="hidden">{title}</legend>
              <label>
                <input
                  type="checkbox"
                  checked={on === ids.length && on > 0}
                  indeterminate={on > 0 && on < ids.length}
                  onChange={(event) => toggle(ids, event.currentTarget.checked)}
                />
                <b>{title}</b>
                <span class="count">
                  {on} of {ids.length}
                </span>
              </label>
              {subcategories.map(({ remote_id: id, name: text }) => (
                <label key={id} class={chosen.includes(id) === before.includes(id) ? 'leaf' : 'leaf changed'}>
                  <input
                    type="checkbox"
                    checked={chosen.includes(id)}
                    onChange={(event) => toggle([id], event.currentTarget.checked)}
                  />
                  <span>{text}</span>
                  {note?.(id)}
                </label>
              ))}
            </fieldset>
          );
        })}
        {shown.length === 0 && <p class="empty">No category matches “{words}”.</p>}
      </div>
    </>
  );
}

/** Returns what names a subcategory; the id of one that is unknown. */
export function namesIn(categories: readonly Category[]): (id: string) => string {
  const names = new Map(categories.flatMap(({ subcategories: all }) => all.map((one) => [one.remote_id, one.name])));
  return (id) => names.get(id) ?? id;
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
