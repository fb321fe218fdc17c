import type { Command, CommandGroup } from '../command.ts';
import { didYouMean } from '../../wire/didYouMean.ts';
import { readCall } from '../readSettings.ts';
import { UsageError } from '../UsageError.ts';
import { bashCompletion } from './bash.ts';
import { completedCommands, type CompletedCommand } from './entries.ts';
import { fishCompletion } from './fish.ts';
import { zshCompletion } from './zsh.ts';

const SHELLS: Readonly<Record<string, (commands: readonly CompletedCommand[]) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

/** Creates `offerlet completion`: the script with which a shell completes commands, options and their values. */
export function createCompletionCommand(commands: () => Readonly<Record<string, Command | CommandGroup>>): Command {
  return {
    summary: 'Prints the script with which bash, zsh or fish completes the commands.',
    usage: 'bash|zsh|fish',
    options: {},
    environment: 'It knows the commands of this version; run it again after an update.',
    examples: [
      { call: 'source <(offerlet completion bash)', does: 'In ~/.bashrc; with zsh in ~/.zshrc, after compinit' },
      { call: 'offerlet completion fish > ~/.config/fish/completions/offerlet.fish', does: 'For fish' },
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
