// offerlet-sandbox/commands: what `offerlet-sandbox` runs, and `offerlet sandbox` and `offerlet network` too.
import type { SettingsSource } from './cli/settings.ts';
import { networkCommand } from './sandbox/networkCommand.ts';
import { sandboxCommand } from './sandbox/sandboxCommand.ts';

/** The commands by name. */
export const commands: Readonly<Record<'sandbox' | 'network', (source: SettingsSource) => Promise<void>>> = {
  sandbox: sandboxCommand,
  network: networkCommand,
};
