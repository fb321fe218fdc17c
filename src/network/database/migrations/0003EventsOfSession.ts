import type { Migration } from './migration.ts';

/** An event_id is unique within its session: no other session can suppress an event by using its id first. */
export const eventsOfSession: Migration = {
  sql: `
ALTER TABLE events DROP CONSTRAINT events_pkey;
ALTER TABLE events ADD CONSTRAINT events_pkey PRIMARY KEY (publisher_id, session_id, event_id);
`,
};
