import type { JSX } from 'preact';
import { Popover } from '../parts/Popover.tsx';
import { labelOf } from '../parts/format.ts';
import type { IconName } from '../parts/icons.tsx';

interface ChoicesProps {
  readonly label: string;
  readonly icon?: IconName;
  readonly all: readonly string[];
  readonly chosen: readonly string[];
  /** How many may be chosen; all by default. */
  readonly max?: number;
  /** How many must be. */
  readonly min?: number;
  readonly note?: string;
  choose(chosen: readonly string[]): void;
}

/** A button that opens a list of boxes to tick. */
export function Choices({
  label,
  icon,
  all,
  chosen,
  max = all.length,
  min = 0,
  note,
  choose,
}: ChoicesProps): JSX.Element {
  return (
    <Popover
      {...(icon ? { icon } : {})}
      name={`${label}: ${chosen.map(labelOf).join(', ') || 'none'}`}
      label={
        <span>
          {label} <span class="count">{chosen.length}</span>
        </span>
      }
    >
      {() => (
        <fieldset class="choices">
          <legend>{label}</legend>
          {all.map((name) => {
            const isChosen = chosen.includes(name);
            return (
              <label key={name}>
                <input
                  type="checkbox"
                  checked={isChosen}
                  disabled={isChosen ? chosen.length <= min : chosen.length >= max}
                  // Added ones go to the end: that is the order of the columns.
                  onChange={() => choose(isChosen ? chosen.filter((other) => other !== name) : [...chosen, name])}
                />
                <span>
                  {labelOf(name)} <code>{name}</code>
                </span>
              </label>
            );
          })}
          {note && <p class="quiet">{note}</p>}
        </fieldset>
      )}
    </Popover>
  );
}
