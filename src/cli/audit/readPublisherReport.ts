import { setTimeout as pause } from 'node:timers/promises';
import { readError, reasonOf } from '../../wire/errors.ts';
import { createSecrets } from '../../http/secrets.ts';
import { parseJson } from '../../wire/json.ts';
import { hideKey } from '../../wire/keys.ts';
import { REPORT_LIMIT } from '../../wire/limits.ts';
import { readCappedText } from '../../wire/readCapped.ts';
import { readReport, PUBLISHER_REPORT_PATH, type Report, type ReportRow } from '../../wire/reporting.ts';
import type { AuditReport, AuditReportQuery } from '../../wire/audit/makeAudit.ts';
import { EXIT, ExitError } from '../ExitError.ts';
import { safeText } from '../output/displayWidth.ts';

/** The network's reports for one publisher. */
export interface ReportSource {
  /** The network's URL, with or without `/api`. */
  readonly network: string;
  /** The publisher's reporting key. */
  readonly apiKey: string;
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** Milliseconds for a response, body included. */
const TIMEOUT_MS = 30_000;
const RESPONSE_MAX = 64 * 1024 * 1024;
/** Milliseconds before each further try, for a network that is restarted or asks to wait. */
const RETRY_MS = [1_000, 5_000, 15_000];
const RETRY_AFTER_MAX_MS = 60_000;
/** Rows of a report: a month by the hour in 300 groups. */
const ROWS_MAX = 250_000;

/** Reads all rows of a publisher's report. Throws an `ExitError` in one line. */
export async function readPublisherReport(source: ReportSource, query: AuditReportQuery): Promise<AuditReport> {
  const rows: ReportRow[] = [];
  let dataThrough: string | null = null;
  for (let offset = 0; ;) {
    const page = await readPage(source, { ...query, offset });
    if (!page) break;
    for (const row of page.data) rows.push(row);
    if (rows.length > ROWS_MAX) throw failed('The report of the network has no end.');
    dataThrough = page.meta.data_through ?? dataThrough;
    offset += page.data.length;
    if (!page.pagination.has_more || page.data.length === 0) break;
  }
  return { rows, dataThrough };
}

/** Reads one page; `undefined` from a network that has never had data for this publisher. */
async function readPage(
  { network, apiKey, fetch = globalThis.fetch }: ReportSource,
  { dates, grain, groupBy, metrics, offset }: AuditReportQuery & { readonly offset: number },
): Promise<Report | undefined> {
  const params = new URLSearchParams({
    ...dates,
    time_grain: grain,
    metrics: metrics.join(','),
    ...(groupBy.length > 0 && { group_by: groupBy.join(',') }),
    offset: String(offset),
    limit: String(REPORT_LIMIT.publisher),
  });
  const url = `${network.replace(/(\/api)*\/*$/, '')}/api${PUBLISHER_REPORT_PATH}?${params}`;
  const headers = { 'x-api-key': apiKey, accept: 'application/json' };
  for (let attempt = 0; ; attempt++) {
    const wait = RETRY_MS[attempt];
    let response: Response;
    let text: string | undefined;
    try {
      response = await fetch(url, { headers, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
      text = await readCappedText(response, RESPONSE_MAX);
    } catch (error) {
      if (wait === undefined) throw failed(`The network could not be reached: ${hideKey(reasonOf(error), apiKey)}.`);
      await pause(wait);
      continue;
    }
    const { status } = response;
    if ((status === 429 || status >= 500) && wait !== undefined) {
      const seconds = Number(response.headers.get('retry-after'));
      await pause(seconds > 0 ? Math.min(seconds * 1_000, RETRY_AFTER_MAX_MS) : wait);
      continue;
    }
    const hidden = hideKey(text ?? '', apiKey);
    // Encoded in any other way, the key is in nothing that is printed either.
    const body = createSecrets(apiKey).isIn(hidden) ? undefined : parseJson(hidden);
    if (status === 200) {
      const report = readReport(body);
      if (!report) throw failed('The network returned something else than a report.');
      return report;
    }
    const { code, message } = readError(status, body);
    if (code === 'REPORTING_DATA_UNAVAILABLE') return undefined;
    if (status === 401 || status === 403)
      throw new ExitError(
        safeText(`The network refused the key: ${message} Use the publisher's reporting key.`),
        EXIT.refused,
      );
    throw failed(`The network returned ${status}: ${message}`);
  }
}

function failed(message: string): ExitError {
  return new ExitError(safeText(message), EXIT.notFound);
}
