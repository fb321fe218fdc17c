import { auditCommand } from './audit/auditCommand.ts';
import type { Command, CommandGroup } from './command.ts';
import { createCompletionCommand } from './completion.ts';
import { cspCommand } from './cspCommand.ts';
import { doctorCommand } from './doctor/doctorCommand.ts';
import { integrityCommand } from './integrityCommand.ts';
import { relayCommand } from './relayCommand.ts';
import { consoleCommand } from '../operator/command/consoleCommand.ts';
import { categoriesGroup, exclusionsGroup, publishersGroup } from '../operator/command/groups.ts';
import { reportCommand } from '../operator/command/reportCommand.ts';
import { whoami } from '../operator/command/whoami.ts';

/** The commands of the package, in the order of `--help`. Those of offerlet-sandbox are loaded when they are called. */
export const COMMANDS: Readonly<Record<string, Command | CommandGroup>> = {
  relay: relayCommand,
  audit: auditCommand,
  publishers: publishersGroup,
  categories: categoriesGroup,
  exclusions: exclusionsGroup,
  report: reportCommand,
  console: consoleCommand,
  whoami,
  integrity: integrityCommand,
  csp: cspCommand,
  doctor: doctorCommand,
  completion: createCompletionCommand(() => ({ ...COMMANDS, ...SANDBOX_COMMANDS })),
};

/** What shells and help say about the commands of offerlet-sandbox. */
export const SANDBOX_COMMANDS = {
  sandbox: stub('Runs a sandbox network, a relay and a demo shop on this machine.'),
  network: stub('Runs the sandbox network on its own.'),
} as const;

function stub(summary: string): Command {
  return { summary, options: {}, run: () => Promise.reject(new Error('This command is in offerlet-sandbox.')) };
}
