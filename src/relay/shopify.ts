import { own, parseJson, isText } from '../wire/json.ts';
import { hashText } from '../wire/hash.ts';
import { IDENTIFIERS } from '../wire/offers/request.ts';
import { RelayError } from './errors.ts';
import { readFunction, refuseOption } from './optionValue.ts';
import type { RelayContext, RelayOptions } from './options/relayOptions.ts';

/** One secret or several. Those that are not set are left out; at least one is required. */
export type ClientSecret = string | undefined | readonly (string | undefined)[];

/** An app of the platform, whose extensions use the relay. */
export interface ShopifyOptions {
  /** The app's client id, the `aud` of its tokens. */
  clientId: string | undefined;
  /**
   * The app's client secret, or a function that returns it, called with the first request. While a secret is being
   * rotated, a list of the new one and the old one: tokens that either has signed are accepted.
   */
  clientSecret: ClientSecret | (() => ClientSecret);
  /**
   * As the relay's own `context`, with the verified claims of the session token. Most buyers are guests, of whom the token
   * says nothing: where neither this nor the extension names the shopper, a hash of the shop and the order is sent as
   * `external_guid`.
   */
  context?:
    | ((claims: SessionClaims, request: Request) => RelayContext | undefined | Promise<RelayContext | undefined>)
    | undefined;
}

/**
 * Returns options for `createRelay({ ...shopify({ … }) })`: every request must carry a valid session token of the app, and
 * with one, pages and workers of any origin may call, without cookies.
 */
export function shopify(options: ShopifyOptions): Required<Pick<RelayOptions, 'authorize' | 'context'>> {
  const { clientId, clientSecret } = options;
  const context = readFunction('context', options.context);
  if (typeof clientId !== 'string' || clientId === '')
    refuseOption('clientId', 'is missing. Use the client id of your app, client_id in its shopify.app.toml.');
  const given = typeof clientSecret === 'function' ? undefined : readSecrets(clientSecret);
  let importing: Promise<readonly CryptoKey[]> | undefined;

  async function verify(authorization: string | null): Promise<VerifiedToken> {
    importing ??= Promise.all((given ?? readSecrets((clientSecret as () => unknown)())).map(importSecret));
    return verifySessionToken(authorization, { clientId: `${clientId}`, keys: await importing, now: Date.now() });
  }

  return {
    async authorize(header) {
      const verified = await verify(header('authorization'));
      return verified.ok ? undefined : verified.reason;
    },
    async context(request: Request) {
      const verified = await verify(request.headers.get('authorization'));
      // It may have expired while the body arrived.
      if (!verified.ok) throw new RelayError(verified.reason, { status: 401, code: 'unauthorized' });
      // The shop's `context` may read the request as well.
      const page: unknown = await request.clone().json();
      const known = (await context?.(verified.value, request)) ?? undefined;
      return nameGuest(verified.value.shop, page, known);
    },
  };
}

/** Adds an identifier of the order if nobody has named the shopper. */
async function nameGuest(
  shop: string,
  page: unknown,
  known: RelayContext | undefined,
): Promise<RelayContext | undefined> {
  const users = [own(page, 'user_details'), own(known, 'user_details')];
  if (users.some((user) => IDENTIFIERS.some((name) => isText(own(user, name))))) return known;
  const order = [own(known, 'order_details'), own(page, 'order_details')]
    .map((details) => own(details, 'order_id'))
    .find(isText);
  // The relay refuses anything but an object, with an error that says so.
  if (order === undefined || (known && typeof known !== 'object')) return known;
  const external_guid = await hashText(`${shop}\n${order}`);
  const user: object = known?.user_details ?? {};
  return { ...known, user_details: { ...user, external_guid } };
}

function readSecrets(given: unknown): readonly string[] {
  const all: readonly unknown[] = Array.isArray(given) ? given : [given];
  const set = all.filter((secret) => secret !== undefined && secret !== '');
  const secrets = set.flatMap((secret) => (typeof secret === 'string' && secret.trim() !== '' ? secret.trim() : []));
  if (secrets.length > 0 && secrets.length === set.length) return secrets;
  const problem = secrets.length > 0 ? 'contains something else than a secret' : 'is missing';
  return refuseOption(
    'clientSecret',
    `${problem}. Use the client secret of your app, such as process.env.SHOPIFY_API_SECRET.`,
  );
}

function importSecret(secret: string): Promise<CryptoKey> {
  const key = new TextEncoder().encode(secret);
  return crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

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
type VerifiedToken =
  | { readonly ok: true; readonly value: SessionClaims }
  | { readonly ok: false; readonly reason: string };

interface VerifyOptions {
  readonly clientId: string;
  /** Of each client secret; usually one. */
  readonly keys: readonly CryptoKey[];
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
async function verifySessionToken(
  authorization: string | null,
  { clientId, keys, now }: VerifyOptions,
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
  const bytes = decodeBase64Url(signature);
  const data = new TextEncoder().encode(`${head}.${body}`);
  if (!bytes || !(await isSignedByAny(keys, bytes, data))) return refuse("is not signed with this app's client secret");

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

async function isSignedByAny(
  keys: readonly CryptoKey[],
  signature: Uint8Array<ArrayBuffer>,
  data: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const verdicts = await Promise.all(keys.map((key) => crypto.subtle.verify('HMAC', key, signature, data)));
  return verdicts.includes(true);
}

function refuse(problem: string): VerifiedToken {
  return { ok: false, reason: `The session token ${problem}.` };
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** The JSON of a part of a token; undefined when it is not JSON. */
function decode(part: string): unknown {
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(decodeBase64Url(part)));
  } catch {
    return undefined;
  }
}

function decodeBase64Url(base64url: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64url.replaceAll('-', '+').replaceAll('_', '/')), (each) => each.charCodeAt(0));
  } catch {
    return undefined;
  }
}
