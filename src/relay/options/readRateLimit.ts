import { isObject } from '../../wire/json.ts';
import { BATCH_MAX_EVENTS } from '../../wire/limits.ts';
import { fail } from './optionValue.ts';
import {
  createRateLimiter,
  DEFAULT_RATE_LIMITS,
  type Bucket,
  type RateLimiter,
  type RateLimits,
} from '../limits/rateLimit.ts';

/** The limiter that the option asks for; `undefined` for none. `factor` widens the defaults. */
export function readRateLimit(
  rateLimit: unknown,
  { now, factor }: { now: () => number; factor: number },
): RateLimiter | undefined {
  if (rateLimit === false) return undefined;
  if (rateLimit !== undefined && !isObject(rateLimit))
    fail('rateLimit must be false, { perAddress, perSession } or an object with take().');
  if (isObject(rateLimit) && typeof rateLimit['take'] === 'function') return rateLimit as unknown as RateLimiter;
  const given: Partial<RateLimits> = rateLimit ?? {};
  for (const name of Object.keys(given))
    if (!(name in DEFAULT_RATE_LIMITS)) fail(`rateLimit has no '${name}': it takes perAddress and perSession.`);
  const widened = ({ burst, perSecond }: Bucket): Bucket => ({ burst: burst * factor, perSecond: perSecond * factor });
  return createRateLimiter(
    {
      perAddress: bucket('perAddress', given.perAddress) ?? widened(DEFAULT_RATE_LIMITS.perAddress),
      perSession: bucket('perSession', given.perSession) ?? widened(DEFAULT_RATE_LIMITS.perSession),
    },
    now,
  );
}

function bucket(name: string, given: Bucket | undefined): Bucket | undefined {
  if (given === undefined) return undefined;
  const isBucket =
    isObject(given) &&
    [given.burst, given.perSecond].every((value) => typeof value === 'number' && value > 0 && Number.isFinite(value));
  if (isBucket && name === 'perSession' && given.burst < BATCH_MAX_EVENTS)
    fail(
      `rateLimit.perSession.burst is ${given.burst}, so a batch of ${BATCH_MAX_EVENTS} events of one session could never pass. Use ${BATCH_MAX_EVENTS} or more.`,
    );
  return isBucket
    ? given
    : fail(`rateLimit.${name} must be two numbers above 0, such as { burst: 60, perSecond: 10 }.`);
}
