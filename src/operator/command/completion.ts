import { type Command, type CommandGroup, isGroup, type Option, readCall } from '../../cli/command.ts';
import { UsageError } from '../../cli/ExitError.ts';
import { didYouMean } from '../../wire/didYouMean.ts';

/** One option, as a shell completes it. */
export interface CompletedOption {
  readonly name: string;
  readonly about: string;
  readonly takesValue: boolean;
  /** Whether several values can be given, separated by commas. */
  readonly isList: boolean;
  /** Its possible values. */
  readonly values: readonly string[];
  readonly isFile: boolean;
}

/** What may follow a command, such as `publishers list`. */
export interface CompletedCommand {
  /** Empty for the program itself. */
  readonly path: string;
  readonly words: readonly { readonly name: string; readonly about: string }[];
  readonly options: readonly CompletedOption[];
}

/** Returns what a shell needs to know about all commands. */
export function completedCommands(commands: Readonly<Record<string, Command | CommandGroup>>): CompletedCommand[] {
  const named = (some: Readonly<Record<string, { readonly summary: string }>>): CompletedCommand['words'] =>
    Object.entries(some).map(([name, { summary }]) => ({ name, about: summary }));
  const of = (path: string, command: Command): CompletedCommand => ({
    path,
    words: path === 'completion' ? ['bash', 'zsh', 'fish'].map((name) => ({ name, about: `For ${name}.` })) : [],
    options: [...Object.entries(command.options).map(([name, option]) => completed(name, option)), HELP],
  });
  const version = completed('version', { kind: 'flag', about: 'Prints the version.' });
  return [
    { path: '', words: named(commands), options: [HELP, version] },
    ...Object.entries(commands).flatMap(([name, command]) =>
      isGroup(command)
        ? [
            { path: name, words: named(command.commands), options: [HELP] },
            ...Object.entries(command.commands).map(([sub, one]) => of(`${name} ${sub}`, one)),
          ]
        : [of(name, command)],
    ),
  ];
}

const HELP = completed('help', { kind: 'flag', about: 'Prints the options of a command.' });

function completed(name: string, option: Option): CompletedOption {
  const { about, kind, completes } = option;
  const isList = kind === 'text' && option.value.includes('[,');
  const values = kind === 'choice' ? option.choices : Array.isArray(completes) ? completes : [];
  return { name, about, takesValue: kind !== 'flag', values, isFile: completes === 'file', isList };
}

/** Returns the completion script for bash. */
export function bashCompletion(commands: readonly CompletedCommand[]): string {
  const cases = commands
    .map(({ path, words, options }) => {
      const all = [...words.map(({ name }) => name), ...options.map(({ name }) => `--${name}`)].join(' ');
      return `    '${path}') all='${all}' ;;`;
    })
    .join('\n');
  const values = commands
    .flatMap(({ path, options }) =>
      options
        .filter(({ values: some }) => some.length > 0)
        .map(({ name, values: some }) => `    '${path} --${name}') list='${some.join(' ')}' ;;`),
    )
    .join('\n');
  const files = commands
    .flatMap(({ path, options }) => options.filter(({ isFile }) => isFile).map(({ name }) => `'${path} --${name}'`))
    .join('|');
  const taking = [
    ...new Set(
      commands.flatMap(({ options }) => options.filter((one) => one.takesValue)).map(({ name }) => `--${name}`),
    ),
  ];
  return `# bash completion for offerlet-operator. Put this line into ~/.bashrc:  source <(offerlet-operator completion bash)
_offerlet_operator() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" path='' word all='' list='' before='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    case "$word" in -*) break ;; esac
    case " ${commands.map(({ path }) => path.replace(' ', '/')).join(' ')} " in
      *" \${path:+$path/}$word "*) path="\${path:+$path/}$word" ;;
      *) break ;;
    esac
  done
  path="\${path/\\// }"
  COMPREPLY=()
  case "$path $previous" in
${values}
    ${files}) COMPREPLY=($(compgen -f -- "$current")); return ;;
  esac
  if [[ -n $list ]]; then
    [[ $current == *,* ]] && before="\${current%,*},"
    COMPREPLY=($(compgen -P "$before" -W "$list" -- "\${current##*,}"))
    return
  fi
  case " ${taking.join(' ')} " in *" $previous "*) return ;; esac
  case "$path" in
${cases}
  esac
  COMPREPLY=($(compgen -W "$all" -- "$current"))
  if [[ $path == 'publishers add' && $current != -* ]]; then COMPREPLY+=($(compgen -f -- "$current")); fi
}
complete -F _offerlet_operator offerlet-operator
`;
}

/** Returns the completion script for fish. */
export function fishCompletion(commands: readonly CompletedCommand[]): string {
  const lines = commands.flatMap(({ path, words, options }) => {
    const seen = path.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`);
    const names = words.map(({ name }) => name).join(' ');
    if (names !== '') seen.push(`not __fish_seen_subcommand_from ${names}`);
    const condition = path === '' ? '__fish_use_subcommand' : seen.join('; and ');
    return [
      ...words.map(
        ({ name, about }) =>
          `complete -c offerlet-operator -n ${quoteForFish(condition)} -f -a ${name} -d ${quoteForFish(about)}`,
      ),
      ...options.map(
        ({ name, about, takesValue, values, isFile }) =>
          `complete -c offerlet-operator -n ${quoteForFish(condition)} -l ${name}${takesValue ? (isFile ? ' -r -F' : ' -x') : ' -f'}${values.length > 0 ? ` -a ${quoteForFish(values.join(' '))}` : ''} -d ${quoteForFish(about)}`,
      ),
    ];
  });
  return `# fish completion for offerlet-operator. Save it:  offerlet-operator completion fish > ~/.config/fish/completions/offerlet-operator.fish
complete -c offerlet-operator -f
${lines.join('\n')}
`;
}

function quoteForFish(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/** Returns the completion script for zsh. */
export function zshCompletion(commands: readonly CompletedCommand[]): string {
  const cases = commands
    .filter(({ path }) => path !== '')
    .map(({ path, words, options }) => {
      const positional =
        path === 'publishers add'
          ? " '*:file:_files'"
          : words.length > 0
            ? ` '1:command:(${words.map(({ name }) => name).join(' ')})'`
            : '';
      return `    '${path}') _arguments -S ${options.map(optionSpec).join(' ')}${positional} ;;`;
    })
    .join('\n');
  const groups = commands.filter(({ path, words }) => path !== '' && path !== 'completion' && words.length > 0);
  const described = (words: CompletedCommand['words']): string =>
    words.map(({ name, about }) => quoteForZsh(`${name}:${about.replace(/\.$/, '')}`)).join(' ');
  const [root] = commands;
  return `#compdef offerlet-operator
# zsh completion for offerlet-operator. Put this line into ~/.zshrc, after compinit:  source <(offerlet-operator completion zsh)
_offerlet_operator() {
  local path
  if ((CURRENT == 2)); then
    local -a all=(${described(root?.words ?? [])})
    _describe 'command' all
    return
  fi
  path="$words[2]"
  case "$path" in
${groups
  .map(
    ({ path, words }) => `    ${path})
      if ((CURRENT == 3)); then
        local -a all=(${described(words)})
        _describe 'command' all
        return
      fi
      path="$path $words[3]"
      shift words
      ((CURRENT--)) ;;`,
  )
  .join('\n')}
  esac
  shift words
  ((CURRENT--))
  case "$path" in
${cases}
  esac
}
compdef _offerlet_operator offerlet-operator
`;
}

function optionSpec({ name, about, takesValue, values, isFile, isList }: CompletedOption): string {
  const text = about.replace(/[[\]:]/g, ' ').replace(/\.$/, '');
  const list = values.join(' ');
  const action = isFile ? '_files' : list === '' ? ' ' : isList ? `_values -s , ${name} ${list}` : `(${list})`;
  return quoteForZsh(`--${name}[${text}]${takesValue ? `:${name}:${action}` : ''}`);
}

function quoteForZsh(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

const SHELLS: Readonly<Record<string, (commands: readonly CompletedCommand[]) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

/** Creates `offerlet-operator completion`: the script with which a shell completes commands, options and their values. */
export function createCompletionCommand(commands: () => Readonly<Record<string, Command | CommandGroup>>): Command {
  return {
    summary: 'Prints the script with which bash, zsh or fish completes the commands.',
    usage: 'bash|zsh|fish',
    options: {},
    environment: 'It knows the commands of this version; run it again after an update.',
    examples: [
      {
        call: 'source <(offerlet-operator completion bash)',
        does: 'In ~/.bashrc; with zsh in ~/.zshrc, after compinit',
      },
      {
        call: 'offerlet-operator completion fish > ~/.config/fish/completions/offerlet-operator.fish',
        does: 'For fish',
      },
    ],
    async run({ argv, env }) {
      const { words } = readCall({}, { argv, env }, 1);
      const [shell = ''] = words;
      const script = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
      if (!script)
        throw new UsageError(
          `${shell === '' ? 'The shell is missing.' : `Unknown shell "${shell}".${didYouMean(shell, Object.keys(SHELLS))}`} Use bash, zsh or fish.`,
        );
      process.stdout.write(script(completedCommands(commands())));
    },
  };
}
