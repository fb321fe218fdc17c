import { afterAll, beforeAll, beforeEach, describe } from 'vitest';
import type { Database } from '../../../src/network/database/database.ts';
import { DATABASE_KINDS, openTestDatabase } from '../databases.ts';
import { openReportingFixture, type ReportingFixture } from './reportingFixture.ts';

type Opened = Awaited<ReturnType<typeof openTestDatabase>>;
/** The embedded database of this process, for all files: offices share nothing. */
let embedded: Promise<Opened> | undefined;

/** Runs the tests on each kind of database; each test gets its own office. */
export function onEachDatabase(
  what: string,
  tests: (its: { readonly office: ReportingFixture; readonly db: Database }) => void,
): void {
  describe.each(DATABASE_KINDS)(`${what} on %s`, (kind) => {
    let opened: Opened;
    const its: { office: ReportingFixture; readonly db: Database } = {
      office: undefined as unknown as ReportingFixture, // opened before each test
      get db() {
        return opened.db;
      },
    };
    beforeAll(async () => {
      opened = await (kind === 'pglite' ? (embedded ??= openTestDatabase(kind)) : openTestDatabase(kind));
    });
    afterAll(() => (kind === 'pglite' ? undefined : opened.close()));
    beforeEach(async () => {
      its.office = await openReportingFixture(opened.db);
    });
    tests(its);
  });
}
