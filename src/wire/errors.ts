import { isObject, own, type JsonObject, type Problem } from './json.ts';
import { plainText } from './plainText.ts';

/** An error of any surface in one form, whatever its body looked like. */
export interface WireError {
  readonly status: number;
  /** Never empty: where the body said nothing, the status does. */
  readonly message: string;
  /** The `code` of a coded error: `METRIC_NOT_AVAILABLE` and its like. */
  readonly code?: string | undefined;
  /** What is wrong, field by field; empty where the body did not say. */
  readonly fields: readonly Problem[];
  /** The body of a coded error, as it came. */
  readonly details?: JsonObject | undefined;
}

/** The error body of the Recommendations surface and of the relay. */
export interface PartnerErrorBody {
  message: string;
  errors?: { message: string; path?: string }[];
}

/** Problems told one by one; a hostile body must not fill the log. */
const FIELDS_MAX = 50;
const TEXT_MAX = 300;

/** The error that a status and a body mean, for the bodies of all surfaces and for what is none of them. */
export function readError(status: number, body: unknown): WireError {
  const code = plainText(own(body, 'code'), 100);
  const errors = own(body, 'errors');
  const fields = Array.isArray(errors) ? readProblems(errors) : code ? [] : readFields(body);
  const said =
    plainText(own(body, 'message'), TEXT_MAX) ??
    plainText(own(body, 'detail'), TEXT_MAX) ??
    plainText(own(body, 'error'), TEXT_MAX);
  const message = said ?? code ?? (fields.map(sentence).slice(0, 3).join('; ') || `The server answered ${status}`);
  return { status, message, code, fields, details: code && isObject(body) ? body : undefined };
}

/** The body of an error on the Recommendations surface or from the relay. */
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

/** `{field: [messages]}`, as the Channel and Reporting APIs answer a 400. */
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

function sentence({ path, message }: Problem): string {
  return path ? `${path}: ${message}` : message;
}
