import type { JSX } from 'preact';

/** The props of a filter. */
export interface FilterProps {
  /** What is filtered, such as `events`. */
  readonly what: string;
  readonly value: string;
  readonly shown: number;
  readonly all: number;
  onChange(value: string): void;
}

/** A field that narrows a list to what contains its words, and says how much is left. */
export function Filter({ what, value, shown, all, onChange }: FilterProps): JSX.Element {
  return (
    <p class="filter">
      <input
        type="search"
        aria-label={`Filter ${what}`}
        placeholder={`Filter ${what}`}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      <span class="quiet" aria-live="polite">
        {value.trim() && `${shown} of ${all}`}
      </span>
    </p>
  );
}

/** Returns whether a text contains every word of a filter, in any order and case. */
export function matches(text: string, filter: string): boolean {
  const lower = text.toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word));
}
