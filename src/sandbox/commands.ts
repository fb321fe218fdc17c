// The entry offerlet-sandbox/commands: what `offerlet-sandbox` runs, and `offerlet sandbox` and `offerlet network` too.
import type { Command } from '../program/command.ts';
import { networkCommand } from './networkCommand.ts';
import { sandboxCommand } from './sandboxCommand.ts';
import { verifyCommand } from './verifyCommand.ts';

/** The commands by name. */
export const commands: Readonly<Record<'sandbox' | 'network' | 'verify', Command>> = {
  sandbox: sandboxCommand,
  network: networkCommand,
  verify: verifyCommand,
};
