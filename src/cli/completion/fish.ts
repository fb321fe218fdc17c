import type { CompletedCommand } from './entries.ts';

/** Returns the completion script for fish. */
export function fishCompletion(commands: readonly CompletedCommand[]): string {
  const lines = commands.flatMap(({ path, words, options }) => {
    const [first, second] = path === '' ? [] : path.split(' ');
    const group = commands.find((one) => one.path === first);
    const names = group?.words.map(({ name }) => name).join(' ') ?? '';
    const condition =
      first === undefined
        ? '__fish_use_subcommand'
        : second === undefined
          ? names === ''
            ? `__fish_seen_subcommand_from ${first}`
            : `__fish_seen_subcommand_from ${first}; and not __fish_seen_subcommand_from ${names}`
          : `__fish_seen_subcommand_from ${first}; and __fish_seen_subcommand_from ${second}`;
    return [
      ...words.map(({ name, about }) => `complete -c offerlet -n ${quote(condition)} -f -a ${name} -d ${quote(about)}`),
      ...options.map(
        ({ name, about, takesValue, values, isFile }) =>
          `complete -c offerlet -n ${quote(condition)} -l ${name}${takesValue ? (isFile ? ' -r -F' : ' -x') : ' -f'}${values.length > 0 ? ` -a ${quote(values.join(' '))}` : ''} -d ${quote(about)}`,
      ),
    ];
  });
  return `# fish completion for offerlet. Save it:  offerlet completion fish > ~/.config/fish/completions/offerlet.fish
complete -c offerlet -f
${lines.join('\n')}
`;
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
