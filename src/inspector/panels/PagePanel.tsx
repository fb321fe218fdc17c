import type { JSX } from 'preact';
import type { PanelProps } from '../model.ts';

/** What is well on the page that the offers stand on, what is not, and what to do. */
export function PagePanel({ model, actions }: PanelProps): JSX.Element {
  const { checks } = model;
  return (
    <>
      <p class="buttons">
        <button type="button" onClick={actions.check}>
          Check again
        </button>
      </p>
      {!checks && <p class="quiet">Checking …</p>}
      <ul class="checks">
        {(checks ?? []).map(({ state, title, text }) => (
          <li key={title} class={state}>
            <b>{title}</b>
            <span class="state">{state === 'good' ? 'good' : state === 'bad' ? 'mend this' : 'note'}</span>
            <span>{text}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
