import type { Migration } from './migration.ts';

/**
 * The environment of the network that opened a session: staging may open one under a clock that was moved, which production
 * must not take events for. Sessions from before have none, and stay usable.
 */
export const sessionEnvironments: Migration = {
  sql: `
ALTER TABLE sessions ADD COLUMN environment text;
`,
};
