import { auditCommand } from './audit/auditCommand.ts';
import type { Command } from './command.ts';
import { cspCommand } from './cspCommand.ts';
import { doctorCommand } from './doctor/doctorCommand.ts';
import { integrityCommand } from './integrityCommand.ts';
import { relayCommand } from './relayCommand.ts';

/** The commands of the package, in the order of `--help`. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  relay: relayCommand,
  audit: auditCommand,
  integrity: integrityCommand,
  csp: cspCommand,
  doctor: doctorCommand,
};

const SANDBOX = 'offerlet-sandbox';
const OPERATOR = 'offerlet-operator';

/** The commands of other packages. They are loaded when they are called. */
export const ELSEWHERE: Readonly<
  Record<string, { readonly summary: string; readonly from: typeof SANDBOX | typeof OPERATOR }>
> = {
  sandbox: { from: SANDBOX, summary: 'Runs a sandbox network, a relay and a demo shop on this machine.' },
  network: { from: SANDBOX, summary: 'Runs the sandbox network on its own.' },
  publishers: { from: OPERATOR, summary: 'Lists, shows, adds and removes the publishers of a channel.' },
  categories: { from: OPERATOR, summary: 'Lists the categories of the network.' },
  exclusions: {
    from: OPERATOR,
    summary: 'Shows and changes the categories that a channel excludes, and takes a change back.',
  },
  report: { from: OPERATOR, summary: 'Prints a report of the channel or of one publisher.' },
  reports: { from: OPERATOR, summary: 'Lists the saved reports of a file, and prints one by its name.' },
  statement: {
    from: OPERATOR,
    summary: 'Prints the payout of a month by publisher, and freezes it when the month is complete.',
  },
  watch: {
    from: OPERATOR,
    summary: 'Says what needs attention: silent publishers, drops, odd rates, requests that wait.',
  },
  console: { from: OPERATOR, summary: 'Opens reports, publishers and exclusions in a page on this machine.' },
  changes: {
    from: OPERATOR,
    summary: 'Lists the changes that were made from this account: by commands, and in the console.',
  },
  profiles: { from: OPERATOR, summary: 'Lists and adds profiles: a network and its key by one name.' },
  whoami: {
    from: OPERATOR,
    summary: 'Shows the network, the environment, and the channel or publisher that the key belongs to.',
  },
};
