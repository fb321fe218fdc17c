export { openSession } from './session/openSession.ts';
export type { Accepted, Session, SessionEvent, SessionResult } from './session/openSession.ts';
export type { KeyValueStorage } from './queue/keyValue/openJournals.ts';
export type { ConsentSource, SessionOptions } from './session/options.ts';
