import { RelayError } from '../errors.ts';
import { readFunction, refuseOption } from '../options/optionValue.ts';
import type { RelayContext, RelayOptions } from '../options/relayOptions.ts';
import { verifySessionToken, type SessionClaims, type VerifiedToken } from './verifySessionToken.ts';

/** An app of the platform, whose extensions use the relay. */
export interface ShopifyOptions {
  /** The app's client id, the `aud` of its tokens. */
  clientId: string | undefined;
  /** The app's client secret, or a function that returns it, called with the first request. */
  clientSecret: string | (() => string | undefined) | undefined;
  /** As the relay's own `context`, with the verified claims of the session token. */
  context?:
    | ((claims: SessionClaims, request: Request) => RelayContext | undefined | Promise<RelayContext | undefined>)
    | undefined;
}

/**
 * Returns options for `createRelay({ ...shopify({ … }) })`: every request must carry a valid session token of the app, and
 * with one, pages and workers of any origin may call, without cookies.
 */
export function shopify(
  options: ShopifyOptions,
): Required<Pick<RelayOptions, 'authorize'>> & Pick<RelayOptions, 'context'> {
  const { clientId, clientSecret } = options;
  const context = readFunction('context', options.context);
  if (typeof clientId !== 'string' || clientId === '')
    refuseOption('clientId', 'is missing. Use the client id of your app, client_id in its shopify.app.toml.');
  const secret = typeof clientSecret === 'function' ? clientSecret : constant(readSecret(clientSecret));
  let importing: Promise<CryptoKey> | undefined;

  async function verify(authorization: string | null): Promise<VerifiedToken> {
    importing ??= importSecret(readSecret(secret()));
    return verifySessionToken(authorization, { clientId: `${clientId}`, key: await importing, now: Date.now() });
  }

  return {
    async authorize(header) {
      const verified = await verify(header('authorization'));
      return verified.ok ? undefined : verified.reason;
    },
    ...(context && {
      async context(request: Request) {
        const verified = await verify(request.headers.get('authorization'));
        // It may have expired while the body arrived.
        if (!verified.ok) throw new RelayError(verified.reason, { status: 401, code: 'unauthorized' });
        return context(verified.value, request);
      },
    }),
  };
}

function constant(value: string): () => string {
  return () => value;
}

function readSecret(secret: unknown): string {
  if (typeof secret === 'string' && secret.trim() !== '') return secret.trim();
  return refuseOption(
    'clientSecret',
    'is missing. Use the client secret of your app, such as process.env.SHOPIFY_API_SECRET.',
  );
}

function importSecret(secret: string): Promise<CryptoKey> {
  const key = new TextEncoder().encode(secret);
  return crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}
