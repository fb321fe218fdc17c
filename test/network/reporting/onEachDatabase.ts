import { afterAll, beforeAll, beforeEach, describe } from 'vitest';
import type { Database } from '../../../src/network/database/database.ts';
import { DATABASE_KINDS, openTestDatabase } from '../databases.ts';
import { openReportingFixture, type ReportingFixture } from './reportingFixture.ts';

/** Runs the tests on each kind of database; each test gets its own office. */
export function onEachDatabase(
  what: string,
  tests: (its: { readonly office: ReportingFixture; readonly db: Database }) => void,
): void {
  describe.each(DATABASE_KINDS)(`${what} on %s`, (kind) => {
    let opened: Awaited<ReturnType<typeof openTestDatabase>>;
    const its: { office: ReportingFixture; readonly db: Database } = {
      office: undefined as unknown as ReportingFixture, // opened before each test
      get db() {
        return opened.db;
      },
    };
    beforeAll(async () => {
      opened = await openTestDatabase(kind);
    });
    afterAll(() => opened.close());
    beforeEach(async () => {
      its.office = await openReportingFixture(opened.db);
    });
    tests(its);
  });
}
