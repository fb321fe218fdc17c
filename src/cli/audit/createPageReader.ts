import { ApiError, AuthError, RateLimitError } from '../../http/apiErrors.ts';
import { connect } from '../../http/connect.ts';
import { readReport, PUBLISHER_REPORT_PATH } from '../../wire/reporting.ts';
import type { ReadAuditPage } from './readAuditReport.ts';
import { EXIT, ExitError } from '../../program/ExitError.ts';
import { safeText } from '../../program/terminal.ts';

/** The network's reports for one publisher. */
export interface ReportSource {
  /** The network's URL, with or without `/api`. */
  readonly network: string;
  /** The publisher's reporting key. */
  readonly apiKey: string;
  /** Says once that the network is tried again. */
  note(line: string): void;
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  readonly timeoutMs?: number | undefined;
}

const KIND = { entry: 'offerlet audit', example: 'https://partner.example', maxBytes: 64 * 1024 * 1024 };
/** Further tries, for a network that is restarted: about half a minute. */
const RETRIES = 7;
/** Milliseconds for all reports of an audit. Some months by the hour take a minute. */
const ALL_MS = 10 * 60_000;

/** Returns a function that reads pages of a publisher's reports. It throws an `ExitError` in one line. */
export function createPageReader(source: ReportSource): ReadAuditPage {
  const { network, apiKey, note, fetch, timeoutMs = ALL_MS } = source;
  const end = AbortSignal.timeout(timeoutMs);
  let why = '';
  const call = connect(
    {
      networkUrl: `${network.replace(/(\/api)*\/*$/, '')}/api`,
      apiKey,
      fetch,
      maxRetries: RETRIES,
      onResponse({ status, retryIn }) {
        if (retryIn === undefined) return;
        const isFirst = why === '';
        why = status === 0 ? 'The network could not be reached.' : `The network returned ${status}.`;
        if (isFirst) note(`${why} Trying again.`);
      },
    },
    KIND,
  );

  function failed(error: unknown): ExitError {
    const limit = `${Math.ceil(timeoutMs / 1_000).toLocaleString('en')} seconds`;
    if (end.aborted) return notFound(`The network did not return its reports within ${limit}. ${why}`.trim());
    if (!(error instanceof ApiError)) throw error;
    const { status, reason } = error;
    if (error instanceof AuthError) {
      const text = `The network refused the key: ${reason} Use the publisher's reporting key.`;
      return new ExitError(safeText(text), EXIT.refused);
    }
    if (error instanceof RateLimitError && error.retryAfter)
      return notFound(`The network returned 429, and asks to wait ${error.retryAfter.toLocaleString('en')} seconds.`);
    return notFound(reason === undefined || status === 0 ? error.message : `The network returned ${status}: ${reason}`);
  }

  return async ({ dates, grain, groupBy, metrics, offset, limit }) => {
    const query = new URLSearchParams({
      ...dates,
      time_grain: grain,
      metrics: metrics.join(','),
      ...(groupBy.length > 0 && { group_by: groupBy.join(',') }),
      offset: String(offset),
      limit: String(limit),
    });
    try {
      const { json } = await call({ method: 'GET', path: PUBLISHER_REPORT_PATH, query, signal: end });
      const report = readReport(json);
      if (report) return report;
    } catch (error) {
      if (error instanceof ApiError && error.code === 'REPORTING_DATA_UNAVAILABLE') return undefined;
      throw failed(error);
    }
    throw notFound('The network returned something else than a report.');
  };
}

function notFound(message: string): ExitError {
  return new ExitError(safeText(message), EXIT.notFound);
}
