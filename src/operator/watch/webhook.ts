import { createHmac, randomUUID } from 'node:crypto';
import { countDays } from '../../wire/utcDates.ts';
import { plural } from '../reports/format.ts';
import type { Cause, Turn } from './evaluate.ts';
import type { WebhookTarget } from './rules.ts';
import { secondsOf } from '../../http/apiErrors.ts';
import { pause } from '../../http/pause.ts';
import { hideKeys } from '../../http/printable.ts';

/** One message: what one rule found, or found to be over, in one run. */
export interface Message {
  /** The same for each delivery of this message. */
  readonly id: string;
  readonly event: Turn['event'];
  readonly rule: string;
  /** The day that was judged. */
  readonly day: string;
  readonly network: string;
  readonly channel: string;
  readonly causes: readonly Cause[];
  /** For people. */
  readonly text: string;
}

/** Causes that a message names; the others are counted. */
const NAMED_MAX = 5;
/** Characters of a name that a message shows. */
const NAME_MAX = 80;

/** Makes one message of all causes of a rule that turned the same way: a channel that fails is not a thousand messages. */
export function messagesOf(
  turns: readonly Turn[],
  { network, channel }: { readonly network: string; readonly channel: string },
): Message[] {
  const groups = new Map<string, Turn[]>();
  for (const turn of turns) {
    const key = `${turn.day} ${turn.cause.rule} ${turn.event}`;
    groups.set(key, [...(groups.get(key) ?? []), turn]);
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const { event, day } = first;
    const { rule } = first.cause;
    const causes = group.map(({ cause }) => cause);
    const lines = causes.slice(0, NAMED_MAX).map((cause) => lineOf(event, cause, day));
    const more = causes.length > NAMED_MAX ? [`… and ${plural(causes.length - NAMED_MAX, 'more', 'more')}.`] : [];
    const text = [`${titleOf(event, rule)} · ${inert(channel)}`, ...lines, ...more].join('\n');
    return [{ id: randomUUID(), event, rule, day, network, channel, causes, text }];
  });
}

function titleOf(event: Turn['event'], rule: string): string {
  return `${event === 'began' ? 'Began' : event === 'recovered' ? 'Recovered' : 'Ended'}: ${rule}`;
}

/** One line about a cause. */
export function lineOf(event: Turn['event'], { name, text, since }: Cause, day: string): string {
  const lasted = countDays({ from: since, to: day }) - 1;
  const after =
    event === 'began' ? '' : ` It began on ${since}${lasted > 0 ? `, ${plural(lasted, 'day')} before` : ''}.`;
  return `${inert(name)}: ${text}${after}`;
}

/** A name that neither calls people in a chat nor becomes a link or a separate line there. */
function inert(name: string): string {
  const plain = name
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll('<', '‹')
    .replaceAll('>', '›')
    .replaceAll('@', '＠')
    .replaceAll('](', '] (')
    .replaceAll('://', ':/ /');
  return plain.length > NAME_MAX ? `${plain.slice(0, NAME_MAX)}…` : plain;
}

/** Where and how a message is sent. */
export interface WebhookOptions {
  readonly target: WebhookTarget;
  /** Signs each delivery; undefined for a chat that checks nothing. */
  readonly secret: string | undefined;
}

/** Milliseconds that a receiver may take to respond. */
const TIMEOUT_MS = 10_000;
const ATTEMPTS = 4;
/** Milliseconds before the second attempt; doubled before each further one. */
const FIRST_DELAY_MS = 1_000;
/** Maximum seconds of a `Retry-After`: the message is queued for the next run, so that cron need not wait. */
const RETRY_AFTER_MAX = 60;

/** The request that delivers a message, signed for this moment. */
export function requestOf(
  message: Message,
  { target, secret }: WebhookOptions,
): { readonly headers: Record<string, string>; readonly body: string } {
  // A name could be anything, and a rules file may name a key.
  const body = hideKeys(JSON.stringify(target.field === undefined ? message : { [target.field]: message.text }));
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'user-agent': 'offerlet-operator',
    'offerlet-message-id': message.id,
  };
  if (secret !== undefined) {
    const time = Math.floor(Date.now() / 1_000);
    headers['offerlet-signature'] =
      `t=${time},v1=${createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')}`;
  }
  return { headers, body };
}

/**
 * Sends a message; returns why it was not delivered. An attempt without a response is repeated as well: the receiver knows
 * the message by its id. Never rejects, and never follows a redirect.
 */
export async function sendWebhook(message: Message, options: WebhookOptions): Promise<string | undefined> {
  for (let attempt = 1; ; attempt++) {
    const { why, retryIn } = await sendOnce(message, options);
    if (why === undefined) return undefined;
    if (retryIn === undefined || attempt === ATTEMPTS)
      return `The webhook at ${new URL(options.target.url).host} ${why}`;
    await pause(Math.max(retryIn, FIRST_DELAY_MS * 2 ** (attempt - 1)));
  }
}

async function sendOnce(message: Message, options: WebhookOptions): Promise<{ why?: string; retryIn?: number }> {
  try {
    const response = await fetch(options.target.url, {
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
