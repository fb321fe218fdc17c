import type { Problem } from '../../wire/json.ts';
import type { NetworkContext } from '../context.ts';
import { readJson } from '../http/readJson.ts';
import { authenticate } from '../keys/authenticate.ts';
import type { KeyRecord } from '../keys/keyRecord.ts';
import { partnerRefusal } from './partnerRefusal.ts';

/** The versions of the Recommendations API that are served: every 1.x.y is the same interface. */
export const SUPPORTED_VERSIONS = ['1.0.0'] as const;
const SEMVER = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/;

/** A valid call, or the response that refuses it. */
export type CheckedCall =
  | { readonly ok: true; readonly key: KeyRecord; readonly json: unknown }
  | { readonly ok: false; readonly refusal: Response };

/** Checks what every call of the Recommendations API carries, in this order: key, version, content type, size, JSON (docs/rules.md#a1). */
export async function checkCall(request: Request, context: NetworkContext, maxBytes: number): Promise<CheckedCall> {
  const caller = await authenticate(request, context, ['integration', 'partner_wide']);
  if (!caller.ok) return refuse(401, caller.message);
  const version = versionProblem(request.headers.get('version'));
  if (version) return refuse(400, version, [{ path: 'version', message: version }]);
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') return refuse(415, 'The Content-Type must be application/json.');
  const body = await readJson(request, maxBytes);
  return body.ok ? { ok: true, key: caller.key, json: body.json } : refuse(body.status, body.message);
}

function refuse(status: number, message: string, problems: readonly Problem[] = []): CheckedCall {
  return { ok: false, refusal: partnerRefusal(status, message, problems) };
}

function versionProblem(version: string | null): string | undefined {
  const supported = `Supported versions: ${SUPPORTED_VERSIONS.join(', ')} and every other 1.x.y.`;
  if (version === null) return `The version header is missing. Send something like 1.0.0. ${supported}`;
  const parts = SEMVER.exec(version.trim());
  if (!parts) return `The version header is not a semantic version. Send something like 1.0.0. ${supported}`;
  return parts[1] === '1' ? undefined : `Version ${version.trim().slice(0, 40)} is not supported. ${supported}`;
}
