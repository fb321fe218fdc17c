import { EXIT, ExitError } from '../../cli/ExitError.ts';
import { safeText } from '../../cli/output/terminal.ts';
import {
  AuthError,
  DateRangeError,
  MetricNotAvailableError,
  ApiError,
  NotFoundError,
  RateLimitError,
  ReportChangedError,
  ReportingUnavailableError,
  RowLimitError,
  UnreachableError,
  ValidationError,
} from '../clients/errors.ts';
import { plural } from '../reports/format.ts';

/** Returns the one line that a person reads, and the exit code, for whatever went wrong. */
export function explainFailure(error: unknown, keySource = 'OFFERLET_API_KEY'): ExitError {
  return new ExitError(safeText(explain(error, keySource)), error instanceof AuthError ? EXIT.refused : EXIT.failed);
}

function explain(error: unknown, key: string): string {
  if (error instanceof AuthError) return `${networkWords(error)} (${error.status}). Check ${key}.`;
  if (error instanceof NotFoundError) return `${networkWords(error)} (404). Check --network: is this the Channel API?`;
  if (error instanceof UnreachableError) return `${whyUnreachable(error)} Check --network.`;
  if (error instanceof RateLimitError)
    return `The network still refuses further requests (429). Try again ${error.retryAfter ? `in ${plural(error.retryAfter, 'second')}` : 'later'}.`;
  if (error instanceof MetricNotAvailableError)
    return `Not enabled for this key: ${error.unsupported_metrics.join(', ')}. Use --metrics with ${error.allowed_metrics.join(', ')}.`;
  if (error instanceof DateRangeError) return whichDates(error);
  if (error instanceof RowLimitError) return howToShrink(error);
  if (error instanceof ReportingUnavailableError)
    return 'There is no reporting data for this key yet. Try again when there is activity.';
  if (error instanceof ReportChangedError) return 'The report changed while it was read. Run the command again.';
  if (error instanceof ValidationError) return `${networkWords(error)} (${error.status}).`;
  if (error instanceof ApiError)
    return error.message + (error.requestId === undefined ? '' : ` Request ${error.requestId}.`);
  // The clients check the outline of a response; commands read all of it.
  if (error instanceof TypeError)
    return `The network returned data that could not be understood (${error.message}). Check --network.`;
  return error instanceof Error ? error.message : String(error);
}

/** The network's own words, without method and path. */
function networkWords(error: ApiError): string {
  const reason = error.message.replace(/^[A-Z]+ \S+ returned \d+: /, '').replace(/[.\s]+$/, '');
  return reason === '' ? `The network returned ${error.status}` : reason;
}

function whyUnreachable(error: UnreachableError): string {
  const reasons: Readonly<Record<string, string>> = {
    ECONNREFUSED: 'The network refuses connections: nothing listens there.',
    ENOTFOUND: 'The network was not found: its host name does not exist.',
    EAI_AGAIN: 'The network was not found: its name cannot be resolved now.',
    ECONNRESET: 'The network closed the connection.',
    UND_ERR_SOCKET: 'The network closed the connection.',
    UND_ERR_CONNECT_TIMEOUT: 'The network did not accept the connection in time.',
    CERT_HAS_EXPIRED: 'The certificate of the network has expired.',
    DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate of the network cannot be verified.',
  };
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const reason = code === undefined ? undefined : reasons[code];
    if (reason !== undefined) return reason;
    if (/redirect/.test(cause.message) && cause !== error)
      return 'The network redirected the request; redirects are not followed, because they would receive the key.';
  }
  return error.message;
}

function whichDates({ available_window, message }: DateRangeError): string {
  if (!available_window) return message;
  const { from, to } = available_window;
  return `These dates are outside the available history, ${from} to ${to}. Use --from ${from} or later.`;
}

function howToShrink({ code, max_rows, total_rows }: RowLimitError): string {
  const rows = (count: number | undefined): string => (count === undefined ? 'too many rows' : plural(count, 'row'));
  const size =
    code === 'REPORTING_SOURCE_ROW_LIMIT_EXCEEDED'
      ? 'This report has to read too much history'
      : `This report would have ${rows(total_rows)}; ${rows(max_rows)} are allowed`;
  return `${size}. Use a coarser --grain, such as week, fewer names in --by, or fewer days.`;
}
