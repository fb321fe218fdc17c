// What runs in a merchant's process, and in the one that audits it.
export { createRelay } from '../../../src/relay/createRelay.ts';
export { openDedupeFile } from '../../../src/relay/dedupe/openDedupeFile.ts';
export { createDedupeRedis } from '../../../src/relay/dedupe/openDedupeRedis.ts';
export { createPageReader } from '../../../src/cli/audit/createPageReader.ts';
export { makeAudit } from '../../../src/cli/audit/makeAudit.ts';
export { AUDITED_METRICS } from '../../../src/cli/audit/compareCounts.ts';
