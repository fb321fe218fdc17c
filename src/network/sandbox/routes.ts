import type { Route } from '../context.ts';
import { accounts } from './accounts.ts';
import { activity } from './activity.ts';
import { clockAndReset } from './clock-and-reset.ts';
import { offers } from './offers.ts';
import { settingsAndFaults } from './settings-and-faults.ts';
import { whatHappened } from './what-happened.ts';

/** The controls under /sandbox/, in staging only. */
export const sandboxRoutes: readonly Route[] = [
  ...clockAndReset,
  ...accounts,
  ...offers,
  ...activity,
  ...settingsAndFaults,
  ...whatHappened(),
];
