import type { JSX } from 'preact';
import { Icon } from './icons.tsx';

interface SearchFieldProps {
  readonly label: string;
  /** Shown while it is empty; the label by default. */
  readonly placeholder?: string;
  readonly value: string;
  change(value: string): void;
}

/** A field to search in what is below it. */
export function SearchField({ label, placeholder = label, value, change }: SearchFieldProps): JSX.Element {
  return (
    <label class="search">
      <Icon name="search" />
      <input
        type="search"
        placeholder={placeholder}
        aria-label={label}
        value={value}
        onInput={(event) => change(event.currentTarget.value)}
      />
    </label>
  );
}
