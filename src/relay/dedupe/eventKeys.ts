import type { WireEvent } from '../../wire/events.ts';
import { readUuid } from '../../wire/json.ts';
import { sha256 } from '../sha256.ts';
import { KEY_DIGITS } from './keyTable.ts';

/** The key of each event for a `DedupeStore`; `undefined` for one without an id, which cannot be recognized again. */
export function eventKeys(
  events: readonly Pick<WireEvent, 'session_id' | 'event_id'>[],
): Promise<readonly (string | undefined)[]> {
  let last: string | undefined;
  let prefix = '';
  let isPending = false;
  const hashes = events.map(({ session_id, event_id }) => {
    if (event_id === undefined) return undefined;
    // Usually all events of a batch are of one session. Ids contain no control characters, so the separator keeps any two
    // pairs apart.
    if (session_id !== last) prefix = `${sessionKey(session_id)}\0`;
    last = session_id;
    const hash = sha256(prefix + event_id);
    if (typeof hash === 'string') return hash.slice(0, KEY_DIGITS);
    isPending = true;
    return hash.then((hex) => hex.slice(0, KEY_DIGITS));
  });
  // Awaiting each of twenty texts would cost as much as hashing them.
  return isPending
    ? Promise.all(hashes.map((hash) => Promise.resolve(hash)))
    : Promise.resolve(hashes as (string | undefined)[]);
}

/** What a session is recognized by: a UUID is the same in any letter case, another id is not. */
export function sessionKey(sessionId: string): string {
  return readUuid(sessionId) ?? sessionId;
}
