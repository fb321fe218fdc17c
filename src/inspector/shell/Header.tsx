import type { JSX } from 'preact';
import type { PanelProps } from '../model.ts';
import { DOCKS } from './preferences.ts';

/** The outcome, the choice of mount, and the buttons that concern the whole inspector. */
export function Header({ model, actions, code }: PanelProps & { code: string }): JSX.Element {
  const { preferences, mounts, mount, notice } = model;
  return (
    <header>
      <h1>
        <Dot code={code} /> offerlet <b>{code}</b>
      </h1>
      {mounts.length > 1 && (
        <select
          aria-label="Mount"
          value={mount?.id}
          onChange={(event) => actions.selectMount(Number(event.currentTarget.value))}
        >
          {mounts.map(({ id, mode }) => (
            <option key={id} value={id}>
              {`Mount ${id}${mode && `, ${mode}`}`}
            </option>
          ))}
        </select>
      )}
      <span class="notice quiet" role="status">
        {notice}
      </span>
      <button type="button" onClick={actions.copyReport}>
        Copy report
      </button>
      <span class="docks" role="group" aria-label="Dock">
        {DOCKS.map((dock) => (
          <button
            key={dock}
            type="button"
            class={`icon dock-${dock}`}
            aria-label={`Dock ${dock}`}
            title={`Dock ${dock}`}
            aria-pressed={preferences.dock === dock}
            onClick={() => actions.dock(dock)}
          />
        ))}
      </span>
      <button
        type="button"
        class="icon close"
        aria-label="Collapse"
        title="Collapse (Esc)"
        onClick={() => actions.open(false)}
      />
    </header>
  );
}

/** The outcome as a colour. Its code is always next to it. */
export function Dot({ code }: { code: string }): JSX.Element {
  const mood = code === 'rendered' ? 'good' : code === 'waiting' || code === 'no_offers' ? 'mild' : 'bad';
  return <i class={`dot ${mood}`} />;
}
