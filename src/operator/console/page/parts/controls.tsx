import type { ButtonHTMLAttributes, ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useWork } from '../app/useResource.ts';
import { Icon, type IconName } from './icons.tsx';

// What a reader presses, ticks, chooses and types: every page uses these.

interface ButtonProps extends Omit<ButtonHTMLAttributes, 'class' | 'icon' | 'disabled' | 'onClick'> {
  /** How it looks: words of the style sheet, such as `small primary`. */
  readonly kind?: string;
  readonly icon?: IconName;
  readonly disabled?: boolean;
  onClick?(): void;
}

/** A button, which submits no form unless its type says so. It keeps the focus while it is disabled. */
export function Button({ kind = '', icon, disabled = false, onClick, children, ...rest }: ButtonProps): JSX.Element {
  const press = (event: Event): void => (disabled ? event.preventDefault() : onClick?.());
  return (
    <button type="button" {...rest} class={`button ${kind}`} aria-disabled={disabled} onClick={press}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

/** A button that copies a text, and says that it did. */
export function CopyButton({ text, name }: { readonly text: string; readonly name: string }): JSX.Element {
  const [said, setSaid] = useState('');
  useEffect(() => {
    if (said === '') return undefined;
    const timer = setTimeout(() => setSaid(''), 2_000);
    return () => clearTimeout(timer);
  }, [said]);
  return (
    <Button
      kind="small"
      icon={said === 'Copied' ? 'check' : 'copy'}
      aria-label={said || name}
      onClick={() =>
        void navigator.clipboard.writeText(text).then(
          () => setSaid('Copied'),
          () => setSaid('Press Ctrl-C'),
        )
      }
    >
      <span role="status">{said || 'Copy'}</span>
    </Button>
  );
}

interface CsvButtonProps {
  /** The file's name, without its ending. */
  readonly name: string;
  readonly label?: string;
  make(): string | Promise<string>;
}

/** A button that has the browser save a CSV file, and says why it could not. */
export function CsvButton({ name, label = 'CSV', make }: CsvButtonProps): JSX.Element {
  const { failure, run } = useWork();
  async function download(): Promise<void> {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([await make()], { type: 'text/csv;charset=utf-8' }));
    link.download = `${name}.csv`;
    link.click();
    // The browser has begun to read it by then.
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }
  return (
    <span class="row">
      {failure && (
        <span class="bad" role="alert">
          {failure.message}
        </span>
      )}
      <Button kind="small" icon="download" onClick={() => void run(download)}>
        {label}
      </Button>
    </span>
  );
}

/** A value to choose, and what it is called. */
export type SelectOption<Value> = readonly [value: Value, text: string];

interface ChoiceProps<Value> {
  readonly label: string;
  readonly options: readonly SelectOption<Value>[];
  readonly value: Value;
  choose(value: Value): void;
}

interface SegmentsProps<Value> extends ChoiceProps<Value> {
  /** Why a value can't be chosen now; undefined for those that can. */
  refusal?(value: Value): string | undefined;
}

/** A choice of one among few, side by side. */
export function Segments<Value extends string | number>(props: SegmentsProps<Value>): JSX.Element {
  const { label, options, value: chosen, choose, refusal } = props;
  return (
    <fieldset class="segments">
      <legend class="hidden">{label}</legend>
      {options.map(([value, text]) => (
        <label key={value} title={refusal?.(value)}>
          <input
            type="radio"
            name={label}
            checked={value === chosen}
            disabled={refusal?.(value) !== undefined}
            onChange={() => choose(value)}
          />
          <span>{text}</span>
        </label>
      ))}
    </fieldset>
  );
}

interface SelectProps<Value> extends ChoiceProps<Value> {
  readonly kind?: string;
  readonly isRequired?: boolean;
  /** Text before it. */
  readonly children?: ComponentChildren;
}

/** A choice of one among many. */
export function Select<Value extends string>(props: SelectProps<Value>): JSX.Element {
  const { label, options, value: chosen, choose, kind = '', isRequired = false, children } = props;
  return (
    <label class={`select ${kind}`}>
      {children}
      <select
        aria-label={label}
        required={isRequired}
        value={chosen}
        onChange={({ currentTarget }) => choose(options[currentTarget.selectedIndex]?.[0] ?? chosen)}
      >
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

interface CheckProps {
  readonly isOn: boolean;
  readonly isDisabled?: boolean;
  readonly children: ComponentChildren;
  toggle(isOn: boolean): void;
}

/** A box to tick, with its text. */
export function Check({ isOn, isDisabled = false, children, toggle }: CheckProps): JSX.Element {
  return (
    <label>
      <input type="checkbox" checked={isOn} disabled={isDisabled} onChange={() => toggle(!isOn)} />
      <span>{children}</span>
    </label>
  );
}

/** Returns the list with the item at its end, or without the item if it was in the list. */
export function toggled(list: readonly string[], item: string): readonly string[] {
  return list.includes(item) ? list.filter((other) => other !== item) : [...list, item];
}

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
