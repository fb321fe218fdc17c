import { setTimeout as pause } from 'node:timers/promises';
import { readError, reasonOf } from '../../wire/errors.ts';
import { createSecrets } from '../../http/printable.ts';
import { own, parseJson, readCappedText } from '../../wire/json.ts';
import { hideKey } from '../../wire/keys.ts';
import { readReport, PUBLISHER_REPORT_PATH } from '../../wire/reporting.ts';
import type { ReadAuditPage } from '../../wire/audit/readAuditReport.ts';
import { EXIT, ExitError } from '../ExitError.ts';
import { safeText } from '../output/terminal.ts';

/** The network's reports for one publisher. */
export interface ReportSource {
  /** The network's URL, with or without `/api`. */
  readonly network: string;
  /** The publisher's reporting key. */
  readonly apiKey: string;
  /** Says once that the network is tried again. */
  note(line: string): void;
  readonly fetch?: typeof globalThis.fetch | undefined;
  readonly timeoutMs?: number | undefined;
}

/** Milliseconds for a response, body included. */
const TIMEOUT_MS = 30_000;
const RESPONSE_MAX = 64 * 1024 * 1024;
/** Milliseconds before each further try, for a network that is restarted or sends a `Retry-After`. */
const RETRY_MS = [1_000, 5_000, 15_000];
/** A network that demands a longer wait is not tried again. */
const RETRY_AFTER_MAX_MS = 60_000;
/** Milliseconds for all reports of an audit. Some months by the hour take a minute. */
const ALL_MS = 10 * 60_000;

/** Returns a function that reads pages of a publisher's reports. It throws an `ExitError` in one line. */
export function createPageReader(source: ReportSource): ReadAuditPage {
  const { network, apiKey, note, fetch = globalThis.fetch, timeoutMs = ALL_MS } = source;
  const end = AbortSignal.timeout(timeoutMs);
  let isNoted = false;

  /** Waits before the next try. */
  async function waitFor(ms: number, why: string): Promise<void> {
    if (!isNoted) note(safeText(`${why} Trying again.`));
    isNoted = true;
    await pause(ms, undefined, { signal: end }).catch(() => undefined);
    if (end.aborted) throw tooSlow(why);
  }

  function tooSlow(why = ''): ExitError {
    const limit = `${Math.ceil(timeoutMs / 1_000).toLocaleString('en')} seconds`;
    return failed(`The network did not return its reports within ${limit}. ${why}`.trim());
  }

  return async ({ dates, grain, groupBy, metrics, offset, limit }) => {
    const params = new URLSearchParams({
      ...dates,
      time_grain: grain,
      metrics: metrics.join(','),
      ...(groupBy.length > 0 && { group_by: groupBy.join(',') }),
      offset: String(offset),
      limit: String(limit),
    });
    const url = `${network.replace(/(\/api)*\/*$/, '')}/api${PUBLISHER_REPORT_PATH}?${params}`;
    const headers = { 'x-api-key': apiKey, accept: 'application/json' };
    for (let attempt = 0; ; attempt++) {
      const wait = RETRY_MS[attempt];
      let response: Response;
      let text: string | undefined;
      try {
        response = await fetch(url, {
          headers,
          redirect: 'error',
          signal: AbortSignal.any([end, AbortSignal.timeout(TIMEOUT_MS)]),
        });
        text = await readCappedText(response, RESPONSE_MAX);
      } catch (error) {
        if (end.aborted) throw tooSlow();
        const why = `The network could not be reached: ${hideKey(reasonOf(own(error, 'cause') ?? error), apiKey)}.`;
        if (wait === undefined) throw failed(why);
        await waitFor(wait, why);
        continue;
      }
      const { status } = response;
      if ((status === 429 || status >= 500) && wait !== undefined) {
        const seconds = Number(response.headers.get('retry-after'));
        if (seconds * 1_000 > RETRY_AFTER_MAX_MS)
          throw failed(`The network returned ${status}, and asks to wait ${seconds.toLocaleString('en')} seconds.`);
        await waitFor(seconds > 0 ? seconds * 1_000 : wait, `The network returned ${status}.`);
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
  };
}

function failed(message: string): ExitError {
  return new ExitError(safeText(message), EXIT.notFound);
}
