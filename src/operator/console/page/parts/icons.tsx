import type { JSX } from 'preact';

const PATHS = {
  calendar: 'M4 6.5h12M6.5 3v3M13.5 3v3M4.5 4.5h11v11h-11z',
  chevron: 'm6 8 4 4 4-4',
  back: 'm12 6-4 4 4 4',
  check: 'm5 10.5 3.2 3L15 6.5',
  close: 'm6 6 8 8M14 6l-8 8',
  copy: 'M7.5 7.5h8v8h-8zM4.5 12.5v-8h8',
  download: 'M10 3.5v8.5m-3.5-3.5L10 12l3.5-3.5M4 15.5h12',
  filter: 'M4 5h12l-4.5 5.5v5l-3-1.5v-3.5z',
  plus: 'M10 4.5v11M4.5 10h11',
  search: 'M9 4.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9zM12.5 12.5 16 16',
  split: 'M4.5 5.5h4l3 4.5 3 0M8.5 14.5h-4m4 0 3-4.5',
  warning: 'M10 4 3.5 15.5h13zM10 8.5v3.5M10 13.8v.2',
} as const;
export type IconName = keyof typeof PATHS;

/** A small picture beside a text that says the same. */
export function Icon({ name }: { readonly name: IconName }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
