import { createHmac } from 'node:crypto';
import type { Message } from './messages.ts';
import type { WebhookTarget } from './rules.ts';
import { secondsOf } from '../clients/errors.ts';
import { pause } from '../clients/pause.ts';
import { hideKeys } from '../../http/printable.ts';

/** Where and how a message is sent. */
export interface WebhookOptions {
  readonly target: WebhookTarget;
  /** Signs each delivery; undefined for a chat that checks nothing. */
  readonly secret: string | undefined;
  readonly fetch?: typeof fetch | undefined;
  readonly now?: (() => number) | undefined;
  /** Milliseconds before the second attempt; doubled before each further one. */
  readonly firstDelay?: number | undefined;
}

/** What became of a message. */
export type Delivery = { readonly isDelivered: true } | { readonly isDelivered: false; readonly why: string };

/** Milliseconds that a receiver may take to respond. */
const TIMEOUT_MS = 10_000;
const ATTEMPTS = 4;
const FIRST_DELAY_MS = 1_000;
/** Seconds that a `Retry-After` may ask for: the message is kept for the next run, and cron is not kept waiting. */
const RETRY_AFTER_MAX = 60;

/** The request that delivers a message, signed for this moment. */
export function requestOf(
  message: Message,
  { target, secret, now = Date.now }: Pick<WebhookOptions, 'target' | 'secret' | 'now'>,
): { readonly headers: Record<string, string>; readonly body: string } {
  // A name could be anything, and a rules file may name a key.
  const body = hideKeys(JSON.stringify(target.field === undefined ? message : { [target.field]: message.text }));
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'user-agent': 'offerlet-operator',
    'offerlet-message-id': message.id,
  };
  if (secret !== undefined) {
    const time = Math.floor(now() / 1_000);
    headers['offerlet-signature'] =
      `t=${time},v1=${createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')}`;
  }
  return { headers, body };
}

/**
 * Sends a message. An attempt without a response is repeated as well: the receiver knows the message by its id. Never
 * rejects, and never follows a redirect.
 */
export async function sendWebhook(message: Message, options: WebhookOptions): Promise<Delivery> {
  const { target, firstDelay = FIRST_DELAY_MS } = options;
  for (let attempt = 1; ; attempt++) {
    const { why, retryIn } = await sendOnce(message, options);
    if (why === undefined) return { isDelivered: true };
    if (retryIn === undefined || attempt === ATTEMPTS)
      return { isDelivered: false, why: `The webhook at ${new URL(target.url).host} ${why}` };
    await pause(Math.max(retryIn, firstDelay * 2 ** (attempt - 1)));
  }
}

async function sendOnce(message: Message, options: WebhookOptions): Promise<{ why?: string; retryIn?: number }> {
  const { target, fetch: send = fetch } = options;
  try {
    const response = await send(target.url, {
      method: 'POST',
      ...requestOf(message, options),
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    // What a receiver says is not read: it may never end.
    await response.body?.cancel().catch(() => undefined);
    if (response.ok) return {};
    const { status } = response;
    const why = `returned ${status}.`;
    const seconds = secondsOf(response.headers.get('retry-after')) ?? 0;
    const isPassing = status === 408 || status === 429 || status >= 500;
    return isPassing && seconds <= RETRY_AFTER_MAX ? { why, retryIn: seconds * 1_000 } : { why };
  } catch (error) {
    const isTimeout = error instanceof Error && error.name === 'TimeoutError';
    return {
      why: isTimeout ? `did not respond within ${TIMEOUT_MS / 1_000} seconds.` : 'is not reachable.',
      retryIn: 0,
    };
  }
}
