import { randomUUID } from 'node:crypto';
import type { Cause, Turn } from './causes.ts';
import { plural } from '../reports/format.ts';
import { countDays } from '../../wire/utcDates.ts';

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

/** A name that neither calls people in a chat nor becomes a link or a line of its own there. */
export function inert(name: string): string {
  const plain = name
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll('<', '‹')
    .replaceAll('>', '›')
    .replaceAll('@', '＠')
    .replaceAll('](', '] (')
    .replaceAll('://', ':/ /');
  return plain.length > NAME_MAX ? `${plain.slice(0, NAME_MAX)}…` : plain;
}
