import { dom } from '../dom/dom.ts';
import type { PageCheck } from './checkPage.ts';
import { type Forced, describeForced } from './forcing.ts';
import type { Explanation } from '../session/openTrace.ts';
import type { QueueStats } from '../queue/events.ts';
import type { RequestRecord } from './observePage.ts';
import { nameOffer } from './describe.ts';
import { eventTimelines, timeOfDay } from './eventTimelines.ts';

/** Returns a URL without what may identify an order or a person: query, fragment, path segments with a digit or an @. */
export function maskUrl(href: string): string {
  const { origin, pathname } = new URL(href);
  const segments = pathname.split('/').map((segment) => (/[\d@]/.test(segment) ? '…' : segment));
  return origin + segments.join('/');
}

/** The version of this package, for reports. A test compares it with package.json. */
export const VERSION = '0.1.0';

/** The contents of a report. */
export interface ReportInput {
  readonly explanation: Explanation;
  /** Who decided on consent, what was requested, and what came of it. */
  readonly sentences: readonly string[];
  /** The response, which names the offers. */
  readonly json: unknown;
  readonly forced: Forced;
  readonly options: Readonly<Record<string, string>>;
  readonly requests: readonly RequestRecord[];
  /** Where the offers came from, when none of the requests shows it. */
  readonly unseenRequest: string | undefined;
  readonly stats: QueueStats | undefined;
  readonly checks: readonly PageCheck[];
  readonly href: string;
  readonly now: Date;
}

/** Writes a report in Markdown for a developer. It contains nothing that identifies a person or an order. */
export function writeReport(input: ReportInput): string {
  return [
    '# offerlet report',
    '',
    ...summaryLines(input),
    '',
    '## Configuration',
    '',
    ...Object.entries(input.options).map(([name, value]) => `- ${name}: ${escapeMarkdown(value)}`),
    ...input.sentences.map((text) => `- ${escapeMarkdown(text)}`),
    '',
    '## Wire',
    '',
    ...requestLines(input),
    ...leftOutLines(input),
    '',
    '## Events',
    '',
    ...eventLines(input),
    '',
    '## Queue',
    '',
    queueLine(input.stats),
    '',
    '## Page',
    '',
    ...input.checks.map(({ state, title, text }) => `- ${state}: ${title}: ${escapeMarkdown(text)}`),
    '',
  ].join('\n');
}

function summaryLines({ explanation: { outcome, waitingFor, hint }, forced, href, now }: ReportInput): string[] {
  const viewport = `${innerWidth} × ${innerHeight} at ${devicePixelRatio}`;
  return [
    `- Outcome: **${outcome?.code ?? 'not yet'}**${outcome ? `: ${escapeMarkdown(outcome.message)}` : ''}`,
    ...(waitingFor ? [`- Waiting for the ${waitingFor}: ${escapeMarkdown(hint ?? '')}`] : []),
    ...(outcome?.hint ? [`- Hint: ${escapeMarkdown(outcome.hint)}`] : []),
    `- Page: ${maskUrl(href)}`,
    `- Time: ${now.toISOString()}`,
    `- offerlet: ${VERSION}`,
    `- Browser: ${navigator.userAgent}`,
    `- Viewport: ${viewport}, ${dom.documentElement.lang || 'no lang'}, ${dom.dir || 'ltr'}`,
    `- Forced: ${describeForced(forced) || 'nothing'}`,
  ];
}

function requestLines({ explanation: { response }, unseenRequest, requests }: ReportInput): string[] {
  const unseen = unseenRequest
    ? [['', '/recommendations', response ? `${response.offers} offers` : '', '', unseenRequest]]
    : [];
  const seen = requests.map(({ at, path, status, error, ms, isForced }) => [
    timeOfDay(at),
    path,
    String(status ?? error ?? 'none yet'),
    String(ms ?? ''),
    isForced ? 'forced' : '',
  ]);
  return table(['time', 'path', 'response', 'ms', 'note'], [...unseen, ...seen]);
}

function leftOutLines({ explanation: { leftOut }, json }: ReportInput): string[] {
  if (leftOut.length === 0) return [];
  const items = leftOut.map(({ offer_id, reason }) => `- ${escapeMarkdown(`${nameOffer(offer_id, json)}: ${reason}`)}`);
  return ['', '### Left out', '', ...items];
}

function eventLines({ explanation, json, requests }: ReportInput): string[] {
  return table(
    ['event', 'offer', 'status', 'timeline'],
    eventTimelines(explanation.events, requests).map(({ event, status, steps }) => [
      event.event_name,
      event.brand_properties ? nameOffer(event.brand_properties.offer_id, json) : '',
      status,
      steps.map(({ at, text }) => `${timeOfDay(at)} ${text}`).join('; '),
    ]),
  );
}

function queueLine(stats: QueueStats | undefined): string {
  if (!stats) return 'There is no queue: consent is missing, or there was no response yet.';
  const { storage, onDisk, inMemory, inFlight, deadLetters, delivered, dropped, lastResponse, isPaused } = stats;
  const counts = `${onDisk} on disk, ${inMemory} in memory, ${inFlight} in flight, ${deadLetters} dead, ${delivered} delivered, ${dropped} dropped`;
  return `${storage}: ${counts}; last response ${lastResponse?.status ?? 'none'}${isPaused ? '; paused' : ''}`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return ['None.'];
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(escapeMarkdown).join(' | ')} |`);
}

/** Keeps foreign text on its line of Markdown: no line breaks, table cells, code or HTML. */
function escapeMarkdown(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[|`<]/g, '\\$&');
}
