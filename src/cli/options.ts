interface Described {
  /** One sentence for `--help`. */
  readonly about: string;
  /** What a shell may complete as its value. */
  readonly completes?: 'file' | readonly string[];
}

/** One option of a command: how it is read, and what `--help` says about it. */
export type Option =
  | (Described & { readonly kind: 'flag' })
  /** Can be repeated; separated by commas or spaces in the environment. `value` is the placeholder in `--help`. */
  | (Described & { readonly kind: 'list'; readonly value: string })
  | (Described & {
      readonly kind: 'text';
      readonly value: string;
      readonly default?: string;
      /** The value may begin with a hyphen, such as `-clicks`. */
      readonly isSigned?: boolean;
    })
  | (Described & { readonly kind: 'port'; readonly default?: number })
  | (Described & { readonly kind: 'choice'; readonly choices: readonly string[]; readonly default?: string });

/** The options of a command by name, in the order of `--help`. */
export type Options = Readonly<Record<string, Option>>;

type WordOf<One extends Option> = One extends { kind: 'choice'; choices: readonly (infer Word)[] } ? Word : string;
type UnsetOf<One extends Option> = One extends { default: string } ? never : undefined;
type ValueOf<One extends Option> = One extends { kind: 'flag' }
  ? boolean
  : One extends { kind: 'list' }
    ? readonly string[]
    : One extends { kind: 'port' }
      ? number | (One extends { default: number } ? never : undefined)
      : WordOf<One> | UnsetOf<One>;

/** The settings that a command runs with. */
export type SettingsOf<All extends Options> = { readonly [Name in keyof All]: ValueOf<All[Name]> };

/** Returns the environment variable of an option: `OFFERLET_API_KEY` for `api-key`. */
export function variableOf(name: string): string {
  return `OFFERLET_${name.toUpperCase().replaceAll('-', '_')}`;
}
