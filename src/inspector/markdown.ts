import { dom } from '../dom/dom.ts';
import { livesOf } from './lives.ts';
import { maskAddress } from './mask.ts';
import type { Exchange } from './tap.ts';
import { timeOf } from './timeOf.ts';
import { VERSION } from './version.ts';
import type { Forced } from './force.ts';
import type { QueueStats, Story } from './mount.ts';
import type { Check } from './checkPage.ts';

/** What a report is made of. */
export interface Findings {
  readonly story: Story;
  readonly forced: Forced;
  readonly options: Readonly<Record<string, string>>;
  readonly exchanges: readonly Exchange[];
  /** How the offers were asked for, when none of the exchanges shows it. */
  readonly unseen: string | undefined;
  readonly stats: QueueStats | undefined;
  readonly checks: readonly Check[];
  readonly href: string;
  readonly now: Date;
}

/** A report in Markdown that a developer can act on. Nothing in it names a person or an order. */
export function reportOf(findings: Findings): string {
  const { story, forced, options, exchanges, unseen, stats, checks, href, now } = findings;
  const { outcome, asked, answered, left_out } = story;
  const lives = livesOf(story.events, exchanges);
  const lines = [
    '# offerlet report',
    '',
    `- Outcome: **${outcome?.code ?? 'not yet'}**${outcome ? `: ${line(outcome.message)}` : ''}`,
    ...(outcome?.hint ? [`- Hint: ${line(outcome.hint)}`] : []),
    `- Page: ${maskAddress(href)}`,
    `- When: ${now.toISOString()}`,
    `- offerlet: ${VERSION}`,
    `- Browser: ${navigator.userAgent}`,
    `- Viewport: ${innerWidth} × ${innerHeight} at ${devicePixelRatio}, ${dom.documentElement.lang || 'no lang'}, ${dom.dir || 'ltr'}`,
    `- Forced: ${wordsOf(forced) || 'nothing'}`,
    '',
    '## Configuration',
    '',
    ...Object.entries(options).map(([name, value]) => `- ${name}: ${line(value)}`),
    ...(asked
      ? [`- asked: ${maskAddress(asked.relay)}, shopper named by ${asked.user_details.join(', ') || 'nobody'}`]
      : []),
    ...(answered
      ? [
          `- answered: ${answered.offers} offers, session ${answered.session_id}${answered.isRemembered ? ', remembered' : ''}${answered.isCounted ? '' : ', not counted'}`,
        ]
      : []),
    '',
    '## Wire',
    '',
    ...table(
      ['when', 'what', 'answer', 'ms', ''],
      [
        ...(unseen ? [['', '/recommendations', answered ? `${answered.offers} offers` : '', '', unseen]] : []),
        ...exchanges.map((one) => [
          timeOf(one.at),
          one.path,
          String(one.status ?? one.error ?? 'none yet'),
          String(one.ms ?? ''),
          one.isForced ? 'forced' : '',
        ]),
      ],
    ),
    ...(left_out.length > 0
      ? ['', '### Left out', '', ...left_out.map(({ offer_id, reason }) => `- ${line(offer_id)}: ${line(reason)}`)]
      : []),
    '',
    '## Events',
    '',
    ...table(
      ['event', 'offer', 'fate', 'life'],
      lives.map(({ event, fate, steps }) => [
        event.event_name,
        event.brand_properties?.offer_id ?? '',
        fate,
        steps.map(({ at, text }) => `${timeOf(at)} ${text}`).join('; '),
      ]),
    ),
    '',
    '## Queue',
    '',
    stats
      ? `${stats.storage}: ${stats.onDisk} on disk, ${stats.inMemory} in memory, ${stats.inFlight} in flight, ${stats.deadLetters} dead, ${stats.delivered} delivered, ${stats.dropped} dropped; last answer ${stats.lastAnswer?.status ?? 'none'}${stats.isPaused ? '; paused' : ''}`
      : 'There is none: nothing was allowed or asked yet.',
    '',
    '## Page',
    '',
    ...checks.map(({ state, title, text }) => `- ${state}: ${title}: ${line(text)}`),
    '',
  ];
  return lines.join('\n');
}

/** The forced words in one line. */
export function wordsOf(forced: Forced): string {
  return Object.entries(forced)
    .map(([name, word]) => `${name}=${word}`)
    .join(', ');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return ['None.'];
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(line).join(' | ')} |`);
}

/** Others' words in a line of Markdown: no break out of it, no table of its own. */
function line(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[|`<]/g, '\\$&');
}
