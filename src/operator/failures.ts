import type { ErrorKind } from '../http/apiErrors.ts';
import { plural, rangeText } from './reports/format.ts';

/** What kind of failure it is; `file`: a file of the operator's has a mistake. */
export type FailureKind = ErrorKind | 'file';

/** A failed call, without anything secret. */
export interface Failure {
  readonly kind: FailureKind;
  /** Method, path, status, and what the network said. */
  readonly message: string;
  /** What the network said, or why there was no response. */
  readonly reason?: string | undefined;
  /** The status of the response; 0 when there was none. */
  readonly status?: number | undefined;
  /** Whether the request never left this machine. */
  readonly sent_nothing?: boolean | undefined;
  /** Seconds to wait. */
  readonly retry_after?: number | undefined;
  /** The available history, both dates included. */
  readonly window?: { readonly from: string; readonly to: string } | undefined;
  readonly unsupported_metrics?: readonly string[] | undefined;
  readonly allowed_metrics?: readonly string[] | undefined;
  /** The rows of the report, and how many are allowed; `isSource`: it has to read too much history. */
  readonly rows?: {
    readonly total?: number | undefined;
    readonly max?: number | undefined;
    readonly isSource: boolean;
  };
  /** What the network said about each field. */
  readonly fields?: readonly { readonly path: string; readonly message: string }[] | undefined;
  /** The id of the request, for the network's support. */
  readonly request_id?: string | undefined;
}

interface FailureText {
  /** What went wrong, as a heading. */
  readonly title: string;
  /** What to do on a page; by default the failure's own message. */
  page?(failure: Failure): string;
  /** What went wrong and what to do, for a command. `key` says where the key was read from. */
  command(failure: Failure, key: string): CommandText;
}

/** Two sentences; a command prints them as one line. */
interface CommandText {
  readonly message: string;
  readonly hint?: string | undefined;
}

/** What people read about a failure, on a page and in a command. */
export const FAILURES: Readonly<Record<FailureKind, FailureText>> = {
  key_refused: {
    title: 'The network refused the key',
    page: () =>
      'It is unknown, revoked, rotated, expired, or for another environment. Write the new key into the file of --api-key-file: the console reads it again. Without a file, start the console again with the new key: a secret management key, or with --variant publisher a publisher reporting key.',
    command: (failure, key) => ({ message: `${reasonOf(failure)}.`, hint: `Check ${key}.` }),
  },
  rate_limited: {
    title: 'Too many requests',
    page: () => 'The network asks to wait. The console tries again by itself.',
    command: ({ retry_after }) => ({
      message: 'The network still refuses further requests (429).',
      hint: `Try again ${retry_after ? `in ${plural(retry_after, 'second')}` : 'later'}.`,
    }),
  },
  too_large: {
    title: 'This report is too large',
    page: () => 'Reports of the network have up to 10,000 rows. Use longer periods, fewer breakdowns, or fewer dates.',
    command({ rows }) {
      const count = (number: number | undefined): string =>
        number === undefined ? 'too many rows' : plural(number, 'row');
      const size = rows?.isSource
        ? 'This report has to read too much history'
        : `This report would have ${count(rows?.total)}; ${count(rows?.max)} are allowed`;
      return { message: `${size}.`, hint: 'Use a coarser --grain, such as week, fewer names in --by, or fewer days.' };
    },
  },
  outside_history: {
    title: 'These dates are outside the history',
    page: ({ window }) =>
      window
        ? `The network has data for ${rangeText(window)}.`
        : 'The network has no data that old. Choose later dates.',
    command: ({ window, message }) =>
      window
        ? {
            message: `These dates are outside the available history, ${window.from} to ${window.to}.`,
            hint: `Use --from ${window.from} or later.`,
          }
        : { message },
  },
  metric_not_available: {
    title: 'A metric is not enabled for this key',
    page: ({ unsupported_metrics, message }) =>
      unsupported_metrics?.length ? `Not available: ${unsupported_metrics.join(', ')}.` : message,
    command: ({ unsupported_metrics = [], allowed_metrics = [] }) => ({
      message: `Not enabled for this key: ${unsupported_metrics.join(', ')}.`,
      hint: `Use --metrics with ${allowed_metrics.join(', ')}.`,
    }),
  },
  no_data: {
    title: 'There is no reporting data yet',
    page: () => 'It begins with the first activity of a publisher.',
    command: () => ({
      message: 'There is no reporting data for this key yet.',
      hint: 'Try again when there is activity.',
    }),
  },
  changed: {
    title: 'The data changed while it was read',
    page: () => 'The console reads it again.',
    command: () => ({ message: 'The report changed while it was read.', hint: 'Run the command again.' }),
  },
  conflict: { title: 'Somebody else has changed this', command: ownMessage },
  unreachable: {
    title: 'The network can’t be reached',
    page: () => 'It does not answer. The console tries again by itself.',
    command: (failure) =>
      failure.status === 0 ? { message: failure.reason ?? '', hint: 'Check --network.' } : ownMessage(failure),
  },
  not_found: {
    title: 'Not found',
    page: () => 'The channel has nothing with this id.',
    command: (failure) => ({ message: `${reasonOf(failure)}.`, hint: 'Check --network: is this the Channel API?' }),
  },
  invalid: {
    title: 'The network refused the request',
    command: (failure) => ({ message: `${reasonOf(failure)}.` }),
  },
  file: { title: 'A file needs a correction', command: ownMessage },
  failed: {
    title: 'Something went wrong',
    page: ({ status, message }) =>
      status ? `The network answered with an error (${status}). The console tries again by itself.` : message,
    command: ownMessage,
  },
};

/** The network's reason with the status, which a text made of nothing else has already. */
function reasonOf({ reason = '', status }: Failure): string {
  const text = reason.replace(/[.\s]+$/, '') || `The network returned ${status}`;
  return text.endsWith(` ${status}`) ? text : `${text} (${status})`;
}

function ownMessage({ message, request_id }: Failure): CommandText {
  return { message: request_id === undefined ? message : `${message} Request ${request_id}.` };
}
