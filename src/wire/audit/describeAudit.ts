import { INCOMPLETE } from './explainDifference.ts';
import { isWrong, type Audit } from './makeAudit.ts';

/** What an audit has found, in the words of the command and of the console. */
export interface AuditDescription {
  readonly kind: 'good' | 'neutral' | 'late' | 'bad';
  /** A sentence without its full stop. */
  readonly title: string;
  /** What was compared: from when on, how far the network's data reach, what is left out. */
  readonly facts: readonly string[];
}

/** Describes an audit. `spell` writes the beginning of an hour. */
export function describeAudit(audit: Audit, spell: (hour: string) => string): AuditDescription {
  const { begins, data_through: through, tolerance, rows, grain } = audit;
  const isYounger = begins !== null && rows.length === 0;
  const facts = [
    begins !== null && !isYounger && `from ${spell(begins)}, when the ledger began`,
    !isYounger && (through === null ? 'the network has no data yet' : `data through ${spell(through)}`),
    `tolerance ${percentOf(tolerance)}`,
    rows.some(({ verdict }) => verdict === 'open') && `the current ${grain} is not over and left out`,
  ].filter((fact) => fact !== false);
  if (isYounger)
    return { kind: 'neutral', title: `The ledger began later, and is complete from ${spell(begins)} on`, facts };
  const wrong = rows.filter(isWrong);
  if (!audit.within)
    return wrong.length > 0 && wrong.every(({ verdict }) => verdict === 'late')
      ? { kind: 'late', title: INCOMPLETE, facts }
      : { kind: 'bad', title: 'The counts differ', facts };
  if (rows.length === 0) return { kind: 'neutral', title: 'Nothing was counted', facts };
  if (rows.every(({ verdict }) => verdict === 'open'))
    return { kind: 'neutral', title: 'There is nothing to compare yet', facts };
  return { kind: 'good', title: 'Both counts agree', facts };
}

/** Writes a share in per cent. */
function percentOf(share: number): string {
  return `${Math.round(share * 1e6) / 1e4} %`;
}
