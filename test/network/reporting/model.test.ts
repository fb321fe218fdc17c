import * as fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { IS_LONG } from '../../fixtures/effort.ts';
import { answerFrom, type Cell } from './model.ts';
import { addPublisher, openReportingFixture } from './reportingFixture.ts';
import { onEachDatabase } from './onEachDatabase.ts';
import { factOf, queryOf, randomActivity, randomQuestion, READ_AT } from './randomActivity.ts';

const QUESTIONS = IS_LONG ? 4_000 : 100;
const LONG = IS_LONG ? { timeout: 1_800_000 } : {};

onEachDatabase('any report', (its) => {
  // What the model says itself has no other test: R15, R17, R20 to R26, R28 to R35, R37 to R45 and R57. A model's sums agree
  // because it adds up the same cells for each grain; so those of reports that agree with it do.
  test('R54 reports agree with a simple model that loops over the activity of two channels', LONG, async () => {
    const offices = [its.office, await openReportingFixture(its.db)] as const;
    const cells: Cell[] = [];
    for (const office of offices) {
      // A namesake of Acme makes ties that only the id can decide.
      const namesake = { id: randomUUID(), name: 'Acme' };
      await addPublisher(its.db, { channel: office.channel, ...namesake });
      const publishers = [{ id: office.acme, name: 'Acme' }, { id: office.bolt, name: 'Bolt' }, namesake];
      const own = randomActivity(office.channel, publishers);
      await office.facts(...own.map(factOf));
      office.now = READ_AT;
      cells.push(...own);
    }
    const [office, other] = offices;
    const holders = { channel: office.channel, publisher: office.acme };
    let rows = 0;
    await fc.assert(
      fc.asyncProperty(randomQuestion(holders, [office.acme, office.bolt, other.acme]), async (question) => {
        const query = queryOf(question);
        const answer = await (question.variant === 'channel'
          ? office.channelReport(query)
          : office.publisherReport(query));
        const expected = answerFrom(cells, question);
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
});
