import { createHmac } from 'node:crypto';

export const CLIENT_ID = '0f6c2a7d9b1e4c3f8a5d6e7f8a9b0c1d';
export const SECRET = 'shpss_canary_0123456789abcdef';

const encode = (part: unknown): string =>
  Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');

/** The claims of a token that a checkout extension gets now. */
export function claims(changed: Record<string, unknown> = {}): Record<string, unknown> {
  const now = Math.floor(Date.now() / 1_000);
  return {
    dest: 'corner-shop.myshopify.com',
    aud: CLIENT_ID,
    exp: now + 300,
    nbf: now,
    iat: now,
    jti: '6f1c2f0e-5b0e-4c60-9d53-2f6f6c1d7a10',
    ...changed,
  };
}

/** Signs a session token, by default as the platform does. */
export function sign(
  payload: unknown = claims(),
  { header = { alg: 'HS256', typ: 'JWT' }, secret = SECRET }: { header?: unknown; secret?: string } = {},
): string {
  const data = `${encode(header)}.${encode(payload)}`;
  return `${data}.${createHmac('sha256', secret).update(data).digest('base64url')}`;
}
