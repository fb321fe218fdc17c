export { openSession } from './session/openSession.ts';
export type { Accepted, Session } from './session/openSession.ts';
export type { KeyValueStorage } from './queue/keyValue/openJournals.ts';
export type { ConsentOption, ConsentSource } from './session/consent.ts';
export type { Outcome, OutcomeCode, SessionEvent, SessionResult } from './session/events.ts';
export type { Explanation } from './session/openTrace.ts';
export type { SessionOptions } from './session/options.ts';
