import { isObject, own, type JsonObject, type Problem, plainText } from './json.ts';

/** Where each status, code, outcome and exit code has its cause and cure; a section's anchor follows. */
export const ERRORS_URL = 'https://github.com/offerlet/offerlet/blob/main/docs/errors.md';

/** An error of any API in one form, whatever its body looked like. See docs/project/wire.md#errors. */
export interface WireError {
  readonly status: number;
  /** Never empty: falls back to the status when the body has no message. */
  readonly message: string;
  /** The `code` of a coded error, such as `METRIC_NOT_AVAILABLE`. */
  readonly code?: string | undefined;
  /** What is wrong, field by field; empty when the body does not say. */
  readonly fields: readonly Problem[];
  /** The body of a coded error, unchanged. */
  readonly details?: JsonObject | undefined;
}

/** The error body of the Recommendations API and of the relay. */
export interface PartnerErrorBody {
  message: string;
  errors?: { message: string; path?: string }[];
}

/** Problems read from one body: a hostile body must not fill the log. */
const FIELDS_MAX = 50;
const TEXT_MAX = 300;

/** Reads an error response of any API, unknown and unreadable bodies included. */
export function readError(status: number, body: unknown): WireError {
  const code = plainText(own(body, 'code'), 100);
  const errors = own(body, 'errors');
  const fields = Array.isArray(errors) ? readProblems(errors) : code ? [] : readFields(body);
  const text =
    plainText(own(body, 'message'), TEXT_MAX) ??
    plainText(own(body, 'detail'), TEXT_MAX) ??
    plainText(own(body, 'error'), TEXT_MAX);
  const named = fields.slice(0, 3).map(({ path, message }) => (path ? `${path}: ${message}` : message));
  const message = text ?? code ?? (named.join('; ') || `The server returned status ${status}`);
  return { status, message, code, fields, details: code && isObject(body) ? body : undefined };
}

/** Creates the error body of the Recommendations API and of the relay. */
export function partnerError(message: string, problems: readonly Problem[] = []): PartnerErrorBody {
  if (problems.length === 0) return { message };
  return {
    message,
    errors: problems.map((problem) =>
      problem.path ? { message: problem.message, path: problem.path } : { message: problem.message },
    ),
  };
}

function readProblems(errors: readonly unknown[]): Problem[] {
  const problems: Problem[] = [];
  for (const error of errors.slice(0, FIELDS_MAX)) {
    const message = plainText(typeof error === 'string' ? error : own(error, 'message'), TEXT_MAX);
    if (message) problems.push({ path: plainText(own(error, 'path'), TEXT_MAX) ?? '', message });
  }
  return problems;
}

/** Reads `{field: [messages]}`, the body of a 400 from the Channel and Reporting APIs. */
function readFields(body: unknown): Problem[] {
  const fields: Problem[] = [];
  for (const key of isObject(body) ? Object.keys(body) : []) {
    const messages = own(body, key);
    for (const text of Array.isArray(messages) ? messages.slice(0, FIELDS_MAX) : []) {
      if (fields.length >= FIELDS_MAX) return fields;
      const message = plainText(text, TEXT_MAX);
      if (message) fields.push({ path: plainText(key, TEXT_MAX) ?? '', message });
    }
  }
  return fields;
}

/** Returns an error as text, whatever was thrown: some objects cannot be converted. */
export function reasonText(error: unknown): string {
  try {
    return String(error);
  } catch {
    return 'Error';
  }
}
