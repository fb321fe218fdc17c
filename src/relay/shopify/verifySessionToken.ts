import { own, parseJson } from '../../wire/json.ts';

/** What a session token says, once its signature and its claims were checked. */
export interface SessionClaims {
  /** The shop's domain, such as `your-shop.myshopify.com`. */
  readonly shop: string;
  /** The customer's id (`gid://shopify/Customer/…`), if the shopper is logged in and the app may read customers. */
  readonly sub?: string;
  /** Every claim, as signed. */
  readonly claims: Readonly<Record<string, unknown>>;
}

/** The claims, or why the token is not accepted, which never repeats any of it. */
export type VerifiedToken =
  | { readonly ok: true; readonly value: SessionClaims }
  | { readonly ok: false; readonly reason: string };

export interface VerifyOptions {
  readonly clientId: string;
  readonly key: CryptoKey;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Maximum characters of a token; real ones have about 600. */
const TOKEN_MAX = 4_096;
/** Seconds by which the clocks of the platform and of this server may differ. */
const SKEW_SECONDS = 10;
const BASE64URL = /^[\w-]+$/;
/** The domain that every shop has, with https:// in the admin's tokens and without it in those of checkouts. */
const SHOP = /^(?:https:\/\/)?([a-z0-9][a-z0-9-]{0,62}\.myshopify\.com)\/?$/i;

/**
 * Verifies the session token of an Authorization header. The signature comes first, so that nobody learns anything about
 * tokens they cannot sign; Web Crypto compares it in constant time.
 */
export async function verifySessionToken(
  authorization: string | null,
  { clientId, key, now }: VerifyOptions,
): Promise<VerifiedToken> {
  if (authorization === null || authorization === '') return refuse('is missing. Send it as "Authorization: Bearer …"');
  const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  if (token === undefined) return refuse('is not sent as "Authorization: Bearer …"');
  const parts = token.length > TOKEN_MAX ? [] : token.split('.');
  const [head = '', body = '', signature = ''] = parts;
  if (parts.length !== 3 || !parts.every((part) => BASE64URL.test(part)))
    return refuse('is not a JSON Web Token of a usual size');
  const header = decode(head);
  // Of a critical extension that is not understood, nothing may be believed.
  if (own(header, 'alg') !== 'HS256' || own(header, 'crit') !== undefined) return refuse('is not signed with HS256');
  const bytes = bytesOf(signature);
  const data = new TextEncoder().encode(`${head}.${body}`);
  if (!bytes || !(await crypto.subtle.verify('HMAC', key, bytes, data)))
    return refuse("is not signed with this app's client secret");

  const claims = decode(body);
  const seconds = now / 1_000;
  const expires = own(claims, 'exp');
  const begins = own(claims, 'nbf');
  if (own(claims, 'aud') !== clientId) return refuse('is for another app: its aud is not clientId');
  if (!isTime(expires) || seconds >= expires + SKEW_SECONDS) return refuse('has expired');
  if (!isTime(begins) || seconds < begins - SKEW_SECONDS) return refuse('is not valid yet');
  const dest = own(claims, 'dest');
  const shop = typeof dest === 'string' ? SHOP.exec(dest)?.[1]?.toLowerCase() : undefined;
  if (shop === undefined) return refuse('is not of a shop: its dest is not a myshopify.com domain');
  const sub = own(claims, 'sub');
  const all = { ...(claims as Record<string, unknown>) };
  return { ok: true, value: { shop, ...(typeof sub === 'string' && { sub }), claims: all } };
}

function refuse(problem: string): VerifiedToken {
  return { ok: false, reason: `The session token ${problem}.` };
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** The JSON of a part of a token; undefined when it is none. */
function decode(part: string): unknown {
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytesOf(part)));
  } catch {
    return undefined;
  }
}

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64url.replaceAll('-', '+').replaceAll('_', '/')), (each) => each.charCodeAt(0));
  } catch {
    return undefined;
  }
}
