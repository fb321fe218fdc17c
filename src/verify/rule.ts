import { type Ask, expectRefusal, type Network, type Shape } from './network.ts';
import type { World } from './world.ts';

/** The interfaces, and the key without which none of their rules can be tried. */
export const INTERFACES = {
  recommendations: 'integration',
  events: 'integration',
  channel: 'management',
  'channel-report': 'management',
  'publisher-report': 'reporting',
} as const;
export type InterfaceName = keyof typeof INTERFACES;

/** What a rule's check works with. */
export interface Checked extends Network {
  readonly world: World;
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

/** A request that is refused. */
export function refused(
  id: string,
  says: string,
  ask: Ask,
  [status, shape]: readonly [status: number | readonly number[], shape: Shape],
): Omit<Rule, 'of'> {
  return {
    id,
    says,
    isReading: (ask.method ?? (ask.body === undefined ? 'GET' : 'POST')) === 'GET',
    check: async (on) => expectRefusal(await on.ask(ask), status, shape),
  };
}

/** A rule with its own check. */
export function rule(id: string, says: string, check: Rule['check'], isReading = false): Omit<Rule, 'of'> {
  return { id, says, isReading, check };
}

/** A rule whose check reads only. */
export function reading(id: string, says: string, check: Rule['check']): Omit<Rule, 'of'> {
  return rule(id, says, check, true);
}

/** Gives rules their interface. */
export function of(name: InterfaceName, rules: readonly Omit<Rule, 'of'>[]): Rule[] {
  return rules.map((each) => ({ ...each, of: name }));
}
