import { accounts } from './accounts.ts';
import { activity } from './activity.ts';
import type { ControlRoute } from './control.ts';
import { observations } from './observations.ts';
import { offers } from './offers.ts';
import { clockAndReset, settingsAndFaults } from './settingsAndFaults.ts';

/** The controls under /sandbox/, in staging only. */
export const controls: readonly ControlRoute[] = [
  ...clockAndReset,
  ...accounts,
  ...offers,
  ...activity,
  ...settingsAndFaults,
  ...observations,
];
