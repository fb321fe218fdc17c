import type { Migration } from './migrations/migration.ts';
import { firstSchema } from './migrations/0001FirstSchema.ts';
import { dailyFacts } from './migrations/0002DailyFacts.ts';
import { eventsOfSession } from './migrations/0003EventsOfSession.ts';
import { keyIssuers } from './migrations/0004KeyIssuers.ts';
import { sessionEnvironments } from './migrations/0005SessionEnvironments.ts';

/** The migrations in order: a database of version n has had the first n. */
export const MIGRATIONS: readonly Migration[] = [
  firstSchema,
  dailyFacts,
  eventsOfSession,
  keyIssuers,
  sessionEnvironments,
];
