import { partnerError } from '../../wire/errors.ts';
import type { Problem } from '../../wire/json.ts';

/** An error response of the Recommendations API, which the sandbox controls use as well. */
export function partnerRefusal(status: number, message: string, problems: readonly Problem[] = []): Response {
  return Response.json(partnerError(message, problems), { status });
}
