import type { Migration } from './migration.ts';

/**
 * The environment of the network that issued a key. A production network accepts only keys that a production network issued,
 * because a staging control can create keys for either. Keys that production networks issued before are its first keys,
 * whose ids are in the settings, and the publishable keys of the publishers it seeded in the first channel.
 */
export const keyIssuers: Migration = {
  sql: `
ALTER TABLE api_keys ADD COLUMN issued_in text NOT NULL DEFAULT 'staging';
`,
  fill: `
UPDATE api_keys SET issued_in = 'production' WHERE environment = 'production' AND (
  id::text IN (SELECT jsonb_array_elements_text(value) FROM settings WHERE name = 'first_key_ids_production')
  OR (kind = 'publishable' AND publisher_id IS NOT NULL
    AND channel_id::text = (SELECT value->>'channel_id' FROM settings WHERE name = 'first'))
);
`,
};
