import { CHANNEL_RULES } from './channelRules.ts';
import { EFFECT_RULES } from './effectRules.ts';
import { EVENT_RULES } from './eventRules.ts';
import {
  BrokenError,
  type Exchange,
  openNetwork,
  type NetworkOptions,
  RunLimitError,
  SilentError,
  UntoldError,
} from './network.ts';
import { KEY_RULES } from './keyRules.ts';
import { PUBLISHER_RULES } from './publisherRules.ts';
import { RECOMMENDATION_RULES } from './recommendationRules.ts';
import { REPORT_RULES } from './reportRules.ts';
import { INTERFACES, type Checked, type InterfaceName, type Rule } from './rule.ts';
import { openWorld } from './world.ts';

/** Every promise that a network can be asked about, in the order in which they are tried. */
export const RULES: readonly Rule[] = [
  ...RECOMMENDATION_RULES,
  ...EVENT_RULES,
  ...CHANNEL_RULES,
  ...PUBLISHER_RULES,
  ...REPORT_RULES,
  ...EFFECT_RULES,
  ...KEY_RULES,
];

/** What was found about one rule. */
export interface Verdict {
  readonly rule: Pick<Rule, 'id' | 'says' | 'of'>;
  readonly state: 'holds' | 'fails' | 'untold' | 'not-tried';
  /** What was expected, why it cannot be told, or why it was not tried. */
  readonly because?: string;
  /** What was sent and what came. */
  readonly exchange?: Exchange;
}

export interface VerifyOptions extends Omit<NetworkOptions, 'maxCalls' | 'maxMs' | 'paceMs'> {
  readonly maxCalls?: number;
  readonly maxMs?: number;
  readonly paceMs?: number;
  /** Rules or interfaces; by default all. */
  readonly only?: readonly string[];
  /** Tries only what changes nothing. */
  readonly readOnly?: boolean;
  /** Milliseconds between two looks at a report that should change. */
  readonly lookMs?: number;
  /** Called after each rule. */
  readonly onVerdict?: (verdict: Verdict, done: number, all: number) => void;
}

/** What a run has found. */
export interface Verification {
  readonly verdicts: readonly Verdict[];
  readonly calls: number;
  /** Whether `signal` ended it early. */
  readonly isInterrupted: boolean;
  /** What the run made and could not undo. */
  readonly left: readonly string[];
}

/** Calls of one run, and milliseconds between two: 600 in a minute at most. */
const MAX_CALLS = 600;
/** Milliseconds after which a network that delays every call is left alone. With what undoes changes, a run ends in five minutes. */
const MAX_MS = 240_000;
const PACE_MS = 50;
const LOOK_MS = 1_500;
/** Calls in a row without a response, after which a network is left alone. */
const SILENT = 3;

/** Asks a network for each promise of the contract that a key gives access to. */
export async function verify(options: VerifyOptions): Promise<Verification> {
  const { only = [], readOnly = false, onVerdict, keys, signal, lookMs = LOOK_MS } = options;
  const network = openNetwork({ maxCalls: MAX_CALLS, maxMs: MAX_MS, paceMs: PACE_MS, ...options });
  const world = openWorld(network, `verify-${Date.now().toString(36)}`);
  const on: Checked = { ...network, world, lookMs };
  const chosen = RULES.filter((rule) => only.length === 0 || only.some((word) => isNamed(rule, word)));
  const verdicts: Verdict[] = [];
  for (const rule of chosen) {
    const verdict = await judge(rule);
    verdicts.push(verdict);
    onVerdict?.(verdict, verdicts.length, chosen.length);
  }
  network.finish();
  const left = (await world.cleanUp()).map((what) => network.hide(what));
  return { verdicts, left, calls: network.calls, isInterrupted: signal?.aborted === true };

  async function judge({ check, isReading, ...rule }: Rule): Promise<Verdict> {
    const missing = INTERFACES[rule.of].find((names) => !names.some((name) => keys[name]));
    if (missing) return { rule, state: 'not-tried', because: `There is no ${missing.join(' or ')} key.` };
    if (readOnly && !isReading)
      return { rule, state: 'not-tried', because: 'It changes something, and --read-only forbids that.' };
    if (signal?.aborted) return { rule, state: 'not-tried', because: 'The run was stopped.' };
    if (network.silent >= SILENT) return { rule, state: 'not-tried', because: 'The network does not respond.' };
    try {
      await check(on);
      return { rule, state: 'holds' };
    } catch (error) {
      if (signal?.aborted) return { rule, state: 'not-tried', because: 'The run was stopped.' };
      const because = network.hide(error instanceof Error ? error.message : String(error));
      if (error instanceof BrokenError) return { rule, state: 'fails', because, exchange: error.exchange };
      if (error instanceof RunLimitError) return { rule, state: 'not-tried', because };
      if (error instanceof UntoldError) return { rule, state: 'untold', because };
      if (error instanceof SilentError)
        return { rule, state: 'fails', because: `a response; there was none (${because})` };
      // A check reads what the contract promises: what it fails on is another type.
      const exchange = network.last;
      return { rule, state: 'fails', because: `the types of the contract (${because})`, ...(exchange && { exchange }) };
    }
  }
}

/** Whether a word names a rule, such as `E4` or `E4.no-id`, or its interface. */
export function isNamed({ id, of }: Pick<Rule, 'id' | 'of'>, word: string): boolean {
  return id === word || id.startsWith(`${word}.`) || of === word;
}

/** Whether each rule of the interfaces that were tried holds. A rule that was not tried, or cannot be told, is no pass. */
export function isVerified({ verdicts }: Pick<Verification, 'verdicts'>): boolean {
  const tried = new Set(verdicts.filter(({ state }) => state !== 'not-tried').map(({ rule }) => rule.of));
  return tried.size > 0 && verdicts.every(({ rule, state }) => state === 'holds' || !tried.has(rule.of));
}

/** The interfaces, how many of their rules hold, and how many there are. */
export function countByInterface({ verdicts }: Pick<Verification, 'verdicts'>): {
  readonly name: InterfaceName;
  readonly holds: number;
  readonly fails: number;
  readonly untold: number;
  readonly notTried: number;
  readonly all: number;
}[] {
  return (Object.keys(INTERFACES) as InterfaceName[]).flatMap((name) => {
    const all = verdicts.filter(({ rule }) => rule.of === name);
    const count = (state: Verdict['state']): number => all.filter((each) => each.state === state).length;
    if (all.length === 0) return [];
    return [
      {
        name,
        holds: count('holds'),
        fails: count('fails'),
        untold: count('untold'),
        notTried: count('not-tried'),
        all: all.length,
      },
    ];
  });
}
