import type { Route } from '../context.ts';
import { accounts } from './accounts.ts';
import { activity } from './activity.ts';
import { clockAndReset } from './clockAndReset.ts';
import { offers } from './offers.ts';
import { settingsAndFaults } from './settingsAndFaults.ts';
import { whatHappened } from './whatHappened.ts';

/** The controls under /sandbox/, in staging only. */
export const sandboxRoutes: readonly Route[] = [
  ...clockAndReset,
  ...accounts,
  ...offers,
  ...activity,
  ...settingsAndFaults,
  ...whatHappened(),
];
