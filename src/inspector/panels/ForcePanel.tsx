import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { findScenario, SCENARIOS } from '../../wire/scenarios/scenarios.ts';
import { FORCES, readWord, type Force } from '../force.ts';
import type { PanelProps } from '../model.ts';

const GROUPS = ['Page', 'Offers', 'Failures', 'Shopper'] as const;

/** Everything that can be forced. Each choice shows the offers anew, without a second load event. */
export function ForcePanel({ model, actions }: PanelProps): JSX.Element {
  const { forced } = model.kept;
  const scenario = findScenario(forced['scenario']);

  function choose(name: string, word: string): void {
    const { [name]: _before, ...rest } = forced;
    actions.force(word ? { ...rest, [name]: word } : rest);
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
          <b>What must be seen:</b> {scenario.mustSee}
        </p>
      )}
      <div class="forces">
        {GROUPS.map((group) => (
          <fieldset key={group}>
            <legend>{group}</legend>
            {FORCES.filter((force) => force.group === group).map((force) => (
              <Choice key={force.name} force={force} word={forced[force.name] ?? ''} choose={choose} />
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
        The same by address, for tests: <code>{addressOf(forced)}</code>
      </p>
    </>
  );
}

function Choice({
  force,
  word,
  choose,
}: {
  force: Force;
  word: string;
  choose(name: string, word: string): void;
}): JSX.Element {
  const { name, label, words, hint } = force;
  // What is being written stands until it is done: the panel is drawn anew meanwhile.
  const [draft, setDraft] = useState<string>();
  if (words.length === 0) {
    return (
      <label>
        <span>{label}</span>
        <input
          value={draft ?? word}
          placeholder={hint}
          onInput={(event) => setDraft(event.currentTarget.value)}
          onChange={(event) => {
            setDraft(undefined);
            choose(name, readWord(force, event.currentTarget.value) ?? '');
          }}
        />
      </label>
    );
  }
  return (
    <label>
      <span>{label}</span>
      <select value={word} onChange={(event) => choose(name, event.currentTarget.value)}>
        <option value="">as it is</option>
        {[...new Set([...words, ...(word ? [word] : [])])].map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
    </label>
  );
}

function addressOf(forced: Readonly<Record<string, string>>): string {
  const words = Object.entries(forced).map(([name, word]) => `&offerlet-${name}=${encodeURIComponent(word)}`);
  return `?offerlet=inspect${words.join('')}`;
}
