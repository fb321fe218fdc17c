export { openSession } from './session/openSession.ts';
export type {
  Accepted,
  Session,
  SessionEvent,
  SessionExplanation as Explanation,
  SessionOptions,
  SessionOutcome as Outcome,
  SessionOutcomeCode as OutcomeCode,
  SessionResult,
} from './session/openSession.ts';
export type { KeyValueStorage } from './queue/openKeyValueDatabase.ts';
export type { ConsentOption, ConsentSource } from './session/consent.ts';
