// What runs in a tab.
export { openSession } from '../../../src/session/openSession.ts';
