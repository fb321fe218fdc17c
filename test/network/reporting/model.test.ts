import * as fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Database } from '../../../src/network/database/database.ts';
import type { ReportRow } from '../../../src/wire/reporting.ts';
import { answerFrom, type Cell, type Question } from './model.ts';
import { addPublisher, openReportingFixture, type Answer, type ReportingFixture } from './reportingFixture.ts';
import { onEachDatabase } from './onEachDatabase.ts';
import { factOf, queryOf, randomActivity, randomQuestion, READ_AT } from './randomActivity.ts';

/** Questions of each property: a few hundred, or thousands with OFFERLET_LONG=1. */
const IS_LONG = process.env['OFFERLET_LONG'] === '1';
const QUESTIONS = IS_LONG ? 4_000 : 300;
const WALKS = IS_LONG ? 300 : 25;
const LONG = IS_LONG ? { timeout: 1_800_000 } : {};

interface TestNetwork {
  office: ReportingFixture;
  cells: Cell[];
  questions: fc.Arbitrary<Question>;
}

/** Two channels with activity of the same kind; a namesake of Acme makes ties that only the id can decide. */
async function openTestNetwork(db: Database, step: bigint): Promise<TestNetwork> {
  const offices = [await openReportingFixture(db), await openReportingFixture(db)];
  const cells: Cell[] = [];
  for (const office of offices) {
    const namesake = { id: randomUUID(), name: 'Acme' };
    await addPublisher(db, { channel: office.channel, ...namesake });
    const publishers = [{ id: office.acme, name: 'Acme' }, { id: office.bolt, name: 'Bolt' }, namesake];
    const own = randomActivity({ office, publishers, seed: 20_251_120, step });
    await office.facts(...own.map(factOf));
    office.now = READ_AT;
    cells.push(...own);
  }
  const [office, other] = offices as [ReportingFixture, ReportingFixture];
  return {
    office,
    cells,
    questions: randomQuestion({ channel: office.channel, publisher: office.acme }, [
      office.acme,
      office.bolt,
      other.acme,
    ]),
  };
}

function ask({ office }: TestNetwork, question: Question): Promise<Answer> {
  return question.variant === 'channel'
    ? office.channelReport(queryOf(question))
    : office.publisherReport(queryOf(question));
}

onEachDatabase('any report', (its) => {
  // What the model says itself has no other test: R17, R20 to R26, R28 to R32, R34, R37, R38 and R40 to R42.
  test('R54 reports agree with a simple model that loops over the activity of both channels', LONG, async () => {
    const world = await openTestNetwork(its.db, 100n);
    let rows = 0;
    await fc.assert(
      fc.asyncProperty(world.questions, async (question) => {
        const answer = await ask(world, question);
        const expected = answerFrom(world.cells, question);
        expect(answer.status, answer.text).toBe(200);
        expect(answer.data).toEqual(expected.data);
        expect(answer.data.map((row) => Object.keys(row))).toEqual(expected.data.map((row) => Object.keys(row)));
        expect(answer.summary).toEqual(expected.summary);
        expect(Object.keys(answer.summary)).toEqual(question.metrics);
        expect(answer.pagination).toEqual({
          offset: question.offset,
          limit: question.limit,
          total: expected.total,
          has_more: expected.hasMore,
        });
        rows += answer.data.length;
      }),
      { numRuns: QUESTIONS, endOnFailure: !IS_LONG },
    );
    expect(rows).toBeGreaterThan(QUESTIONS); // the questions were not about nothing
  });

  test('R35 pages of 1, 7 and 250 add up to the list, and R38 each has the same summary', LONG, async () => {
    const world = await openTestNetwork(its.db, 100n);
    await fc.assert(
      fc.asyncProperty(world.questions, fc.constantFrom(1, 7, 250), async (question, limit) => {
        const whole = answerFrom(world.cells, { ...question, offset: 0, limit: 10_000 });
        fc.pre(whole.total <= limit * 40);
        const walked: ReportRow[] = [];
        for (let hasMore = true; hasMore;) {
          const page = await ask(world, { ...question, offset: walked.length, limit });
          expect([page.summary, page.pagination.total]).toEqual([whole.summary, whole.total]);
          walked.push(...page.data);
          hasMore = page.pagination.has_more;
        }
        expect(walked).toEqual(whole.data);
      }),
      { numRuns: WALKS },
    );
  });

  test(
    'R57 days, weeks, months, the total and the summary are the same sums, each moment counted once',
    LONG,
    async () => {
      const world = await openTestNetwork(its.db, 10_000n);
      const metrics = ['impressions', 'clicks', 'conversions', 'channel_payout', 'order_revenue_amount', 'feed_loads'];
      await fc.assert(
        fc.asyncProperty(world.questions, async (asked) => {
          const question: Question = {
            ...asked,
            variant: 'channel',
            holder: world.office.channel,
            metrics,
            groupBy: [],
            sortBy: undefined,
            offset: 0,
            limit: 250,
          };
          const whole = await ask(world, { ...question, grain: 'total' });
          const grains =
            asked.grain === 'hour' ? (['hour', 'day'] as const) : (['day', 'week', 'month', 'total'] as const);
          for (const grain of grains) {
            const answer = await ask(world, { ...question, grain });
            expect(cents(answer.data, metrics)).toEqual(cents([whole.summary], metrics));
            expectDisjoint(answer.data, question);
          }
          for (const grouping of ['publisher', 'page_type', 'widget_type', 'widget_id']) {
            const grouped = await ask(world, { ...question, grain: 'total', groupBy: [grouping] });
            expect(cents(grouped.data, metrics)).toEqual(cents([whole.summary], metrics));
          }
        }),
        { numRuns: WALKS },
      );
    },
  );
});

/** The sum of each metric over the rows, in hundredths: whole numbers, so that the sums are exact. */
function cents(rows: readonly Readonly<Record<string, unknown>>[], metrics: readonly string[]): number[] {
  return metrics.map((metric) => rows.reduce((total, row) => total + Math.round(Number(row[metric]) * 100), 0));
}

function expectDisjoint(rows: readonly ReportRow[], { from, to }: Question): void {
  const periods = rows
    .map((row) => [Date.parse(row.period_start), Date.parse(row.period_end)] as const)
    .toSorted((a, b) => a[0] - b[0]);
  let end = Date.parse(from);
  for (const [start, stop] of periods) {
    expect(start).toBeGreaterThanOrEqual(end);
    expect(stop).toBeGreaterThan(start);
    end = stop;
  }
  expect(end).toBeLessThanOrEqual(Date.parse(to) + 86_400_000);
}
