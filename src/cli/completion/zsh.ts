import type { CompletedCommand, CompletedOption } from './entries.ts';

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
    words.map(({ name, about }) => quote(`${name}:${about.replace(/\.$/, '')}`)).join(' ');
  const [root] = commands;
  return `#compdef offerlet
# zsh completion for offerlet. Put this line into ~/.zshrc, after compinit:  source <(offerlet completion zsh)
_offerlet() {
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
compdef _offerlet offerlet
`;
}

function optionSpec({ name, about, takesValue, values, isFile, isList }: CompletedOption): string {
  const text = about.replace(/[[\]:]/g, ' ').replace(/\.$/, '');
  const list = values.join(' ');
  const action = isFile ? '_files' : list === '' ? ' ' : isList ? `_values -s , ${name} ${list}` : `(${list})`;
  return quote(`--${name}[${text}]${takesValue ? `:${name}:${action}` : ''}`);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
