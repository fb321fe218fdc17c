import type { WireEvent } from '../../wire/events/wireEvent.ts';

/** Hexadecimal digits of a key: 16 bytes, so that two events never share one. */
const DIGITS = 32;

/** The key of each event for a `DedupeStore`; `undefined` for one without an id, which cannot be recognized again. */
type EventKeys = (
  events: readonly Pick<WireEvent, 'session_id' | 'event_id'>[],
) => readonly (string | undefined)[] | Promise<readonly (string | undefined)[]>;

/** Returns an `EventKeys` on SHA-256: synchronous where the runtime has `node:crypto`, on Web Crypto elsewhere. */
export function createEventKeys(): EventKeys {
  const node = globalThis.process?.getBuiltinModule?.('node:crypto');
  if (!node) return (events) => Promise.all(keysOf(events, hashOnWebCrypto).map(async (key) => key));
  // One call is three times as fast as an object for each hash. Node has it from 20.12, other runtimes may not.
  const hash =
    typeof node.hash === 'function'
      ? (text: string) => node.hash('sha256', text, 'hex').slice(0, DIGITS)
      : (text: string) => node.createHash('sha256').update(text).digest('hex').slice(0, DIGITS);
  return (events) => keysOf(events, hash);
}

function keysOf<Key>(events: Parameters<EventKeys>[0], hash: (text: string) => Key): readonly (Key | undefined)[] {
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

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What a session is recognized by: a UUID is the same in any letter case, another id is not. */
export function sessionKey(sessionId: string): string {
  return UUID.test(sessionId) ? sessionId.toLowerCase() : sessionId;
}

async function hashOnWebCrypto(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0'))
    .join('')
    .slice(0, DIGITS);
}
