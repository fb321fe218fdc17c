import type { JSX } from 'preact';
import type { Check } from '../checkPage.ts';
import type { PanelProps } from '../model.ts';

const LABELS: Readonly<Record<Check['state'], string>> = { good: 'good', bad: 'fix this', note: 'note' };

/** The findings about the page, and what to do about each. */
export function PagePanel({ model, actions }: PanelProps): JSX.Element {
  const { checks } = model;
  return (
    <>
      <p class="buttons">
        <button type="button" onClick={actions.checkPage}>
          Check again
        </button>
      </p>
      {!checks && <p class="quiet">Checking …</p>}
      <ul class="checks">
        {(checks ?? []).map(({ state, title, text }) => (
          <li key={title} class={state}>
            <b>{title}</b>
            <span class="state">{LABELS[state]}</span>
            <span>{text}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
