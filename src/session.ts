export { openSession } from './session/openSession.ts';
export type { Accepted, Session, SessionEvent, SessionResult } from './session/openSession.ts';
export type { ConsentSource, KeyValueStorage, SessionOptions } from './session/options.ts';
