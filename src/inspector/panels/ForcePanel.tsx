import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { findScenario, SCENARIOS } from '../../wire/scenarios/scenarios.ts';
import { FORCE_OPTIONS, forcedQuery, readValue, type ForceOption } from '../forcing.ts';
import type { PanelProps } from '../model.ts';

const GROUPS = ['Page', 'Offers', 'Failures', 'Shopper'] as const;

/** Everything that can be forced. Each choice shows the offers again. */
export function ForcePanel({ model, actions }: PanelProps): JSX.Element {
  const { forced } = model.preferences;
  const scenario = findScenario(forced['scenario']);

  function choose(name: string, value: string): void {
    const { [name]: _before, ...others } = forced;
    actions.force(value ? { ...others, [name]: value } : others);
  }

  return (
    <>
      <label class="wide">
        <span>Scenario</span>
        <select value={forced['scenario'] ?? ''} onChange={(event) => choose('scenario', event.currentTarget.value)}>
          <option value="">None</option>
          {SCENARIOS.map(({ name, title }) => (
            <option key={name} value={name}>
              {`${name}: ${title}`}
            </option>
          ))}
        </select>
      </label>
      {scenario && (
        <p class="quote">
          <b>What you should see:</b> {scenario.mustSee}
        </p>
      )}
      <div class="forces">
        {GROUPS.map((group) => (
          <fieldset key={group}>
            <legend>{group}</legend>
            {FORCE_OPTIONS.filter((option) => option.group === group).map((option) => (
              <Choice
                key={option.name}
                option={option}
                value={forced[option.name] ?? ''}
                onChange={(value) => choose(option.name, value)}
              />
            ))}
            {group === 'Shopper' && (
              <p class="buttons">
                <button type="button" onClick={() => actions.consent(true)}>
                  Say yes
                </button>
                <button type="button" onClick={() => actions.consent(false)}>
                  Say no
                </button>
              </p>
            )}
          </fieldset>
        ))}
      </div>
      <p class="buttons">
        <button type="button" onClick={() => actions.force({ ...forced })}>
          Show again
        </button>
        <button type="button" onClick={() => actions.force({})}>
          Clear all
        </button>
      </p>
      <p class="quiet">
        The same by URL, for tests: <code>{forcedQuery(forced)}</code>
      </p>
    </>
  );
}

interface ChoiceProps {
  readonly option: ForceOption;
  readonly value: string;
  onChange(value: string): void;
}

function Choice({ option, value, onChange }: ChoiceProps): JSX.Element {
  const { label, values, hint } = option;
  // The panel is drawn again while somebody types; the draft keeps what they have typed.
  const [draft, setDraft] = useState<string>();
  return (
    <label>
      <span>{label}</span>
      {values.length === 0 ? (
        <input
          value={draft ?? value}
          placeholder={hint}
          onInput={(event) => setDraft(event.currentTarget.value)}
          onChange={(event) => {
            setDraft(undefined);
            onChange(readValue(option, event.currentTarget.value) ?? '');
          }}
        />
      ) : (
        <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          <option value="">not forced</option>
          {[...new Set([...values, ...(value ? [value] : [])])].map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      )}
    </label>
  );
}
