import type { CompletedCommand } from './entries.ts';

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
  return `# bash completion for offerlet. Put this line into ~/.bashrc:  source <(offerlet completion bash)
_offerlet() {
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
complete -F _offerlet offerlet
`;
}
