export { openSession } from './session/openSession.ts';
export type { Accepted, Session, SessionEvent, SessionOptions, SessionResult } from './session/openSession.ts';
export type { KeyValueStorage } from './queue/openKeyValueDatabase.ts';
export type { ConsentOption, ConsentSource } from './session/consent.ts';
export type { Explanation, Outcome, OutcomeCode } from './session/openTrace.ts';
