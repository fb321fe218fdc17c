import { isObject } from '../../wire/json.ts';
import { BATCH_MAX_EVENTS } from '../../wire/limits.ts';
import {
  createRateLimiter,
  DEFAULT_RATE_LIMITS,
  type Bucket,
  type RateLimiter,
  type RateLimits,
} from '../limits/createRateLimiter.ts';
import { refuseOption } from './optionValue.ts';

/** The limiter of the `rateLimit` option; `undefined` for none. `factor` widens the defaults. */
export function readRateLimit(
  rateLimit: unknown,
  { now, factor }: { now: () => number; factor: number },
): RateLimiter | undefined {
  if (rateLimit === false) return undefined;
  if (rateLimit !== undefined && !isObject(rateLimit))
    refuseOption('rateLimit', 'must be false, { perAddress, perSession } or an object with take().');
  if (isObject(rateLimit) && typeof rateLimit['take'] === 'function') return rateLimit as unknown as RateLimiter;
  const given: Partial<RateLimits> = rateLimit ?? {};
  for (const name of Object.keys(given))
    if (!(name in DEFAULT_RATE_LIMITS))
      refuseOption('rateLimit', `has no '${name}'. It takes perAddress and perSession.`);
  const widened = ({ burst, perSecond }: Bucket): Bucket => ({ burst: burst * factor, perSecond: perSecond * factor });
  const limits: RateLimits = {
    perAddress: readBucket('rateLimit.perAddress', given.perAddress) ?? widened(DEFAULT_RATE_LIMITS.perAddress),
    perSession: readBucket('rateLimit.perSession', given.perSession) ?? widened(DEFAULT_RATE_LIMITS.perSession),
  };
  if (limits.perAddress.burst < 1)
    refuseOption(
      'rateLimit.perAddress.burst',
      `is ${limits.perAddress.burst}, so no request could ever pass. Use 1 or more.`,
    );
  if (limits.perSession.burst < BATCH_MAX_EVENTS)
    refuseOption(
      'rateLimit.perSession.burst',
      `is ${limits.perSession.burst}, so a batch of ${BATCH_MAX_EVENTS} events of one session could never pass. Use ${BATCH_MAX_EVENTS} or more.`,
    );
  return createRateLimiter(limits, now);
}

function readBucket(option: string, given: Bucket | undefined): Bucket | undefined {
  if (given === undefined) return undefined;
  const isBucket =
    isObject(given) &&
    [given.burst, given.perSecond].every((value) => typeof value === 'number' && value > 0 && Number.isFinite(value));
  return isBucket
    ? given
    : refuseOption(option, 'must have two numbers above 0, such as { burst: 60, perSecond: 10 }.');
}
