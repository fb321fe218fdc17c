import type { RelayLimits, RelayOptions, RelayTimeouts } from '../relay.ts';
import { UsageError } from './ExitError.ts';

/**
 * Reads `--timeout NAME=MS` and `--limit NAME=BYTES`. Which names there are, and which numbers are allowed, `createRelay`
 * knows.
 */
export function readAmounts(flag: string, pairs: readonly string[]): Partial<RelayTimeouts & RelayLimits> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, name, amount] = /^(\w+)=(\d+)$/.exec(pair) ?? [];
      if (name === undefined)
        throw new UsageError(
          `${flag} is not a name and a whole number: "${pair}". Use something like ${EXAMPLES[flag]}.`,
        );
      return [name, Number(amount)];
    }),
  );
}

const EXAMPLES: Readonly<Record<string, string>> = {
  '--timeout': 'recommendations=2000',
  '--limit': 'eventsBytes=32768',
};

/** Reads `--rate-limit NAME=BURST/PER_SECOND`, or `off`. */
export function readRateLimit(pairs: readonly string[]): RelayOptions['rateLimit'] {
  if (pairs.length === 0) return undefined;
  if (pairs.length === 1 && pairs[0] === 'off') return false;
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, name, burst, perSecond] = /^(\w+)=(\d+)\/(\d+(?:\.\d+)?)$/.exec(pair) ?? [];
      if (name === undefined)
        throw new UsageError(
          `--rate-limit is not a name, a burst and a rate: "${pair}". Use something like perAddress=600/100, or off.`,
        );
      return [name, { burst: Number(burst), perSecond: Number(perSecond) }];
    }),
  );
}
