import type { JSX } from 'preact';
import { TABS, type Tab } from './preferences.ts';

/** The tabs of the panels, with the keyboard behaviour of the ARIA tabs pattern. */
export function Tabs({ selected, onSelect }: { selected: Tab; onSelect(tab: Tab): void }): JSX.Element {
  function move(event: KeyboardEvent): void {
    const next = tabFor(event.key, selected);
    if (!next) return;
    event.preventDefault();
    onSelect(next);
    const list = event.currentTarget as Element;
    list.querySelector<HTMLElement>(`#tab-${next}`)?.focus();
  }
  return (
    <div class="tabs" role="tablist" aria-label="Panels" onKeyDown={move}>
      {TABS.map((name) => (
        <button
          key={name}
          type="button"
          role="tab"
          id={`tab-${name}`}
          aria-selected={name === selected}
          aria-controls="panel"
          tabIndex={name === selected ? 0 : -1}
          onClick={() => onSelect(name)}
        >
          {name}
        </button>
      ))}
    </div>
  );
}

function tabFor(key: string, selected: Tab): Tab | undefined {
  const index = TABS.indexOf(selected);
  switch (key) {
    case 'Home':
      return TABS[0];
    case 'End':
      return TABS.at(-1);
    case 'ArrowRight':
      return TABS[(index + 1) % TABS.length];
    case 'ArrowLeft':
      return TABS.at(index - 1);
    default:
      return undefined;
  }
}
