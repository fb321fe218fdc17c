import type { ConsentSource } from '../../src/consent.ts';

/** Starts a source, and records its decisions. */
export function listen(source: ConsentSource): { decisions: boolean[]; stop: () => void } {
  const decisions: boolean[] = [];
  const stop = source((isGiven) => void decisions.push(isGiven === true));
  return { decisions, stop: stop ?? (() => {}) };
}
