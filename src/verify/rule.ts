import { type Ask, expectRefusal, type KeyName, type Network, UntoldError } from './network.ts';
import type { World } from './world.ts';

/** The interfaces and what spans two of them, with the keys without which none of their rules can be tried: one of each list. */
export const INTERFACES = {
  recommendations: [['integration']],
  events: [['integration']],
  channel: [['management']],
  'channel-report': [['management']],
  'publisher-report': [['reporting']],
  'events-in-reports': [['integration'], ['reporting', 'management']],
  'channel-and-offers': [['management'], ['integration']],
  'both-reports': [['management'], ['reporting']],
  'revoked-key': [['revoked']],
} as const satisfies Readonly<Record<string, readonly (readonly KeyName[])[]>>;
export type InterfaceName = keyof typeof INTERFACES;

/** An id that nothing has. */
export const NOBODY = '00000000-0000-4000-8000-000000000000';

/** What a rule's check works with. */
export interface Checked extends Network {
  readonly world: World;
  /** Milliseconds between two looks at a report that should change. */
  readonly lookMs: number;
}

/** One promise of the contract (src/network/contract/rules.md), and how to see whether a network keeps it. */
export interface Rule {
  /** The number beside the contract, and what of it: `A2.two-identifiers`. */
  readonly id: string;
  /** One sentence. */
  readonly says: string;
  readonly of: InterfaceName;
  /** Whether it changes nothing, so that it may be tried with a production key. */
  readonly isReading: boolean;
  /** Resolves if the network keeps it; throws a `BrokenError` if not, an `UntoldError` if that cannot be told. */
  check(on: Checked): Promise<void>;
}

/** A request that is refused, with the error body of its interface. */
export function refused(id: string, says: string, ask: Ask, status: number, shape?: 'any'): Omit<Rule, 'of'> {
  return {
    id,
    says,
    isReading: (ask.method ?? (ask.body === undefined ? 'GET' : 'POST')) === 'GET',
    check: async (on) => expectRefusal(await on.ask(ask), status, shape),
  };
}

/** A request that is refused for its key, or the lack of one. */
export function denied(id: string, says: string, ask: Ask): Omit<Rule, 'of'> {
  return refused(id, says, ask, 401);
}

/** A request that finds nothing. */
export function missing(id: string, says: string, ask: Ask, shape?: 'any'): Omit<Rule, 'of'> {
  return refused(id, says, ask, 404, shape);
}

/** What a rule of two interfaces says. */
export const NO_SLASH = 'A path without its last slash is a 404, not a redirect that repeats the key.';

/** Headers of a call that names no version, and of one whose body is not called JSON. */
export const [NO_VERSION, PLAIN] = [{ version: undefined }, { 'content-type': 'text/plain' }] as const;

/** A rule that the key of a call is refused where its prefix names the other environment. */
export function refusesElsewhere(id: string, ask: Ask): Omit<Rule, 'of'> {
  const { isReading } = refused(id, '', ask, 401);
  const check: Rule['check'] = async (on) => {
    const key = on.keys[ask.key] ?? '';
    const other = key.replace(/(?<=^adnet_\w\w_)(?:live|test)/, (mode) => (mode === 'live' ? 'test' : 'live'));
    if (other === key) throw new UntoldError('The prefix of the key names no environment.');
    expectRefusal(await on.ask({ ...ask, headers: { 'x-api-key': other } }), 401);
  };
  return rule(id, 'A key of the other environment is refused.', check, isReading);
}

/** A rule with its own check. */
export function rule(id: string, says: string, check: Rule['check'], isReading = false): Omit<Rule, 'of'> {
  return { id, says, isReading, check };
}

/** A rule whose check reads only. */
export function reading(id: string, says: string, check: Rule['check']): Omit<Rule, 'of'> {
  return rule(id, says, check, true);
}

/** Whether no value is smaller than the one before. */
export function isRising(values: readonly (number | string)[]): boolean {
  return values.every((value, at) => at === 0 || value >= (values[at - 1] ?? value));
}

/** Gives rules their interface. */
export function of(name: InterfaceName, rules: readonly Omit<Rule, 'of'>[]): Rule[] {
  return rules.map((each) => ({ ...each, of: name }));
}
