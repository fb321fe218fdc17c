export { openSession } from './session/openSession.ts';
export type { Accepted, Session } from './session/openSession.ts';
export type { KeyValueStorage } from './queue/keyValue/openJournals.ts';
export type { ConsentOption, ConsentSource } from './session/consent.ts';
export type { Explanation, Outcome, OutcomeCode, SessionEvent, SessionResult } from './session/openTrace.ts';
export type { SessionOptions } from './session/checkOptions.ts';
