import type { NetworkRoute } from '../context.ts';
import { accounts } from './accounts.ts';
import { activity } from './activity.ts';
import { clockAndReset } from './clockAndReset.ts';
import { offers } from './offers.ts';
import { settingsAndFaults } from './settingsAndFaults.ts';
import { observations } from './observations.ts';

/** The controls under /sandbox/, in staging only. */
export const sandboxRoutes: readonly NetworkRoute[] = [
  ...clockAndReset,
  ...accounts,
  ...offers,
  ...activity,
  ...settingsAndFaults,
  ...observations(),
];
