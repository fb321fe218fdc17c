import type { JSX } from 'preact';
import type { PanelProps } from '../model.ts';

/** Everything that is forced now, each with a button that stops it. */
export function ForcedBar({ model, actions }: PanelProps): JSX.Element | null {
  const forced = Object.entries(model.preferences.forced);
  if (forced.length + model.unknown.length === 0) return null;
  return (
    <div class="forced">
      <span>Forced</span>
      {forced.map(([name, value]) => (
        <button
          key={name}
          type="button"
          class="chip"
          aria-label={`Stop forcing ${name}`}
          onClick={() => actions.force(Object.fromEntries(forced.filter(([other]) => other !== name)))}
        >
          {`${name} ${value}`}
        </button>
      ))}
      {forced.length > 0 && (
        <button type="button" class="plain" onClick={() => actions.force({})}>
          Clear all
        </button>
      )}
      {model.unknown.map((text) => (
        <span key={text} class="bad">{`${text} is not a known setting`}</span>
      ))}
    </div>
  );
}
