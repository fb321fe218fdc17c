import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStage, play, sabotage, type Stage } from './history.ts';
import type { Plan, StoreKind } from './plan.ts';
import type { Sabotage } from './realm.ts';
import { planOf, shrink } from './shrink.ts';

// Each is one wrong line, and the invariant that it breaks. Histories are searched from the first on.

let stage: Stage;
beforeAll(async () => void (stage = await openStage()));
afterAll(() => stage.close());

/** Histories until which each must be found. */
const HISTORIES_MAX = 400;

const on = (store: StoreKind) => (plan: Plan) => plan.store === store;
const has = (what: string) => (plan: Plan) => plan.steps.some((step) => step.do === what);
/** A tab is killed soon after somebody denied in it, before anything else happens. */
const killsAfterDenial = ({ steps }: Plan): boolean =>
  steps.some((step, at) => {
    const next = steps[at + 1];
    if (step.do !== 'deny' || next?.do !== 'kill tab') return false;
    return next.device === step.device && next.tab === step.tab && next.after < 100 && next.calls < 20;
  });
/** One device shows a block for an order that another one requests. */
const prefetches = ({ shoppers, steps }: Plan): boolean => {
  const opened = steps.flatMap((step) => (step.do === 'open' && step.order === 1 ? [step] : []));
  const [blocks, requests] = [0, 1].map((tab) => opened.filter((step) => step.tab === tab));
  const person = (step: { device: number }): number | undefined => shoppers[step.device];
  return !!blocks?.some((one) =>
    requests?.some((other) => one.device !== other.device && person(one) === person(other)),
  );
};
const losesTwice = ({ steps }: Plan): boolean =>
  steps.some((step) => step.do === 'line' && step.link === 'relay' && step.fault === 'reply lost' && step.count > 1);

const SAYS_ALL = {
  name: 'every event is said to be a possible duplicate',
  file: 'relay/events/forwardOnce.ts',
  replace: 'filter(({ isUnconfirmed }) => isUnconfirmed);',
  by: 'slice();',
  breaks: /^2 said without a cause/,
};

it.each([
  {
    name: 'the relay takes a 503 for certainly not stored',
    file: 'relay/events/createEventRoutes.ts',
    replace: 'const isUnconfirmed = status >= 500;',
    by: 'const isUnconfirmed = status >= 500 && status !== 503;',
    breaks: /^2 counted twice/,
  },
  {
    name: 'the relay takes a redirect for certainly not stored',
    file: 'relay/createUpstream.ts',
    replace: 'mayHaveArrived: true, // a 303',
    by: 'mayHaveArrived: false, // a 303',
    breaks: /^2 counted twice/,
  },
  {
    name: 'what is unconfirmed is said to no other relay',
    file: 'relay/events/forwardOnce.ts',
    replace: "record.isUnconfirmed = claim === 'unconfirmed';",
    by: '',
    breaks: /^2 counted twice/,
    where: on('redis'),
  },
  SAYS_ALL,
  {
    name: 'one relay forwards what another is forwarding',
    file: 'relay/dedupe/openDedupeRedis.ts',
    replace: "holder == 'accepted' and 'known' or 'busy'",
    by: "holder == 'accepted' and 'known' or 'new'",
    breaks: /^2 counted twice/,
    where: on('redis'),
  },
  {
    name: 'a session belongs to whoever names the order',
    file: 'relay/repeatResponses.ts',
    replace: '[secret, asker, stated]',
    by: '[secret, stated]',
    breaks: /^4 session .* was given to/,
    where: (plan: Plan) => plan.shoppers.length > 1,
  },
  {
    name: 'a page is given what the server prefetched',
    file: 'relay/repeatResponses.ts',
    replace: "return ['device', nonce];",
    by: 'return SERVER;',
    breaks: /^4 session .* was given to blocks/,
    where: prefetches,
  },
  {
    name: 'the file of accepted events is written after the response',
    file: 'relay/dedupe/openDedupeFile.ts',
    replace: 'await flush();\n      // A new owner',
    by: 'setTimeout(() => void flush(), 1_000);\n      // A new owner',
    breaks: /^(2 counted twice|3 wrong audit)/,
    where: (plan: Plan) => plan.keepsIds && on('file')(plan) && has('kill relay')(plan),
  },
  {
    name: 'what is forwarded is not written down before',
    file: 'relay/dedupe/openDedupeFile.ts',
    replace: 'if (claimed.length > 0) add({ claimed });',
    by: '',
    breaks: /^2 counted twice/,
    where: (plan: Plan) => !plan.keepsIds && on('file')(plan) && has('kill relay')(plan),
  },
  {
    name: 'accepted events are forgotten at once',
    file: 'relay/dedupe/createDedupeMemory.ts',
    replace: "table.has(key) ? 'known'",
    by: "table.has(key) ? 'new'",
    breaks: /^2 counted twice/,
    where: on('memory'),
  },
  {
    name: 'a clock that is set back stops delivery',
    file: 'queue/settle.ts',
    replace: 'return Number(set) <= now ?',
    by: 'return set ?',
    breaks: /^5 not delivered in time/,
    where: has('clock'),
  },
  {
    name: 'a page of a captive portal counts as delivered',
    file: 'queue/settle.ts',
    replace: 'if (status === 201 ||',
    by: 'if (status === 200 || status === 201 ||',
    breaks: /^1 lost/,
  },
  {
    name: 'an event is said to be stored before it is',
    file: 'queue/openCore.ts',
    replace: 'await rows.add(',
    by: 'void rows.add(',
    breaks: /^1 lost/,
    where: has('kill tab'),
  },
  {
    name: 'what waits is not tried again',
    file: 'queue/openSender.ts',
    replace: 'if (ms) wake(ms);',
    by: '',
    breaks: /^5 not delivered in time/,
  },
  {
    name: 'what is too old is dropped unsaid',
    file: 'queue/openRows.ts',
    replace: "if (count > 0) emit({ type: 'dropped', count, reason });",
    by: "if (count > 0 && reason !== 'expired') emit({ type: 'dropped', count, reason });",
    breaks: /^1 lost/,
    where: has('sleep'),
  },
  {
    name: 'more is said to be withdrawn than was',
    file: 'queue/openRows.ts',
    replace: "dropped('withdrawn', count);",
    by: "dropped('withdrawn', count + 1);",
    breaks: /^1 dropped without a cause/,
    where: has('deny'),
  },
  {
    name: 'a withdrawal leaves no mark',
    file: 'queue/withdrawal.ts',
    replace: 'if (isStored || storedMark()) setMark(memory);',
    by: '',
    breaks: /^4 .* after a denial/,
    where: killsAfterDenial,
  },
  {
    name: 'orders stay after a denial',
    file: 'session/orderMemory.ts',
    replace: 'localOrders.sweep(() => false);',
    by: 'localOrders.sweep(() => true);',
    breaks: /^4 .* after a denial/,
    where: has('deny'),
  },
  {
    name: 'the network counts a click twice',
    file: 'network/events/eventStore.ts',
    replace: '() => ({ clicks: 1 })',
    by: '() => ({ clicks: 2 })',
    breaks: /^2 wrong report/,
  },
  {
    name: 'the network accepts events and stores none',
    file: 'network/events/eventStore.ts',
    replace: 'await storeEvents(db, publisherId, works.flat());',
    by: 'await storeEvents(db, publisherId, []);',
    breaks: /^1 /,
  },
  {
    name: 'the audit says nothing of lost responses',
    file: 'cli/audit/explainDifference.ts',
    replace: "const lost = count('answers_lost');",
    by: 'const lost = 0;',
    breaks: /^3 wrong audit/,
    where: (plan: Plan) => plan.store !== 'memory' && !has('kill relay')(plan),
  },
  {
    name: 'the audit is told of the first lost response to an event only',
    file: 'relay/events/forwardOnce.ts',
    replace: 'const isLost = result.unconfirmed.includes(at);',
    by: 'const isLost = result.unconfirmed.includes(at) && !one.isUnconfirmed;',
    breaks: /^3 wrong audit/,
    where: (plan: Plan) => plan.store !== 'memory' && !has('kill relay')(plan) && losesTwice(plan),
  },
] as readonly (Sabotage & { readonly breaks: RegExp; readonly where?: (plan: Plan) => boolean })[])(
  'finds that $name',
  async ({ breaks, where, ...fault }) => {
    const undo = await sabotage(stage, fault);
    let [seed, count] = [0, 0];
    let failures: readonly string[] = [];
    while (!failures.some((each) => breaks.test(each)) && count < HISTORIES_MAX) {
      const plan = planOf(String((seed += 1)));
      if (where && !where(plan)) continue;
      count += 1;
      ({ failures } = await play(stage, plan));
    }
    undo();
    process.stdout.write(`${fault.name}: history ${count}, seed ${seed}: ${failures[0]}\n`);
    expect(failures).toContainEqual(expect.stringMatching(breaks));
    expect((await play(stage, planOf(String(seed)))).failures, 'the same history without the fault').toEqual([]);
  },
);

it('shrinks a history to fewer steps in which the same fails', async () => {
  const undo = await sabotage(stage, SAYS_ALL);
  const first = await play(stage, planOf('4'));
  const name = await shrink(stage, 4, first);
  expect((await play(stage, planOf(name))).failures[0]).toMatch(SAYS_ALL.breaks);
  expect(planOf(name).steps.length).toBeLessThan(planOf('4').steps.length / 2);
  undo();
});
