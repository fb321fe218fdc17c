import type { WireEvent } from '../../wire/events.ts';
import { hashText } from '../../wire/hash.ts';
import { readUuid } from '../../wire/json.ts';
import { KEY_DIGITS } from './keyTable.ts';

/** The key of each event for a `DedupeStore`; `undefined` for one without an id, which cannot be recognized again. */
type EventKeys = (
  events: readonly Pick<WireEvent, 'session_id' | 'event_id'>[],
) => Promise<readonly (string | undefined)[]>;

/** Returns an `EventKeys` on SHA-256: on `node:crypto` where the runtime has it, which is faster, on Web Crypto elsewhere. */
export function createEventKeys(): EventKeys {
  const node = globalThis.process?.getBuiltinModule?.('node:crypto');
  if (!node)
    return (events) => Promise.all(hashEvents(events, hashText).map(async (key) => (await key)?.slice(0, KEY_DIGITS)));
  // One call is three times as fast as an object for each hash. Node has it from 20.12, other runtimes may not.
  const hash =
    typeof node.hash === 'function'
      ? (text: string) => node.hash('sha256', text, 'hex').slice(0, KEY_DIGITS)
      : (text: string) => node.createHash('sha256').update(text).digest('hex').slice(0, KEY_DIGITS);
  return (events) => Promise.resolve(hashEvents(events, hash));
}

function hashEvents<Key>(events: Parameters<EventKeys>[0], hash: (text: string) => Key): readonly (Key | undefined)[] {
  let last: string | undefined;
  let prefix = '';
  return events.map(({ session_id, event_id }) => {
    if (event_id === undefined) return undefined;
    // Usually all events of a batch are of one session. Ids contain no control characters, so the separator keeps any two
    // pairs apart.
    if (session_id !== last) prefix = `${sessionKey(session_id)}\0`;
    last = session_id;
    return hash(prefix + event_id);
  });
}

/** What a session is recognized by: a UUID is the same in any letter case, another id is not. */
export function sessionKey(sessionId: string): string {
  return readUuid(sessionId) ?? sessionId;
}
