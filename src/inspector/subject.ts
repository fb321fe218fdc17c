import { dom } from '../dom/dom.ts';
import type { JsonObject } from '../wire/json.ts';
import type { DeadLetter, Mount, MountEvent, MountOptions, MountQueue, QueueStats, Story } from './mount.ts';
import type { Row } from './rows.ts';
import type { Exchange } from './tap.ts';

/** One mount as the inspector knows it. */
export interface Subject {
  readonly id: number;
  mount: Mount;
  /** The options as the page wrote them. */
  readonly own: MountOptions;
  /** The relay's address without a slash at its end; empty when the page names none. */
  readonly relay: string;
  /** Where its offers have stood. */
  readonly hosts: Set<Element>;
  /** The last that was told before it was shown anew; what follows is the story of now. */
  before: MountEvent | undefined;
  /** The forced words that it was last shown under. */
  shownUnder: string;
  mode: string;
  body: JsonObject | undefined;
  json: unknown;
  /** When the offers came to stand, on the page's own clock. */
  renderedAt: number | undefined;
  queue: MountQueue | undefined;
  stats: QueueStats | undefined;
  letters: readonly DeadLetter[];
  rows: readonly Row[];
}

/** A mount that has just been handed over. */
export function subjectOf(mount: Mount, id: number): Subject {
  return {
    id,
    mount,
    own: mount.options,
    relay: relayOf(mount.options),
    hosts: new Set(),
    before: undefined,
    shownUnder: '',
    mode: '',
    body: undefined,
    json: undefined,
    renderedAt: undefined,
    queue: undefined,
    stats: undefined,
    letters: [],
    rows: [],
  };
}

/** How this order was asked for, when no request of it passed by the inspector. */
export function unseenQuestion(
  { body }: Subject,
  story: Story | undefined,
  exchanges: readonly Exchange[],
): string | undefined {
  if (!body || exchanges.some(({ path }) => path.endsWith('/recommendations'))) return undefined;
  return story?.answered?.isRemembered
    ? 'remembered from an earlier page of this order: nothing was asked'
    : 'asked before the inspector was loaded';
}

/** What is on disk and what is dead now. */
export async function refresh(subject: Subject, readRows: (relay: string) => Promise<readonly Row[]>): Promise<void> {
  const { queue, relay } = subject;
  if (!queue) return;
  const [stats, letters, rows] = await Promise.all([queue.stats(), queue.deadLetters(), readRows(relay)]);
  Object.assign(subject, { stats, letters, rows });
}

/** The options of a mount in words that name nobody. */
export function optionsInWords(subject: Subject): Record<string, string> {
  const { own, mount } = subject;
  const { options } = mount;
  const placement = options.request?.placement_details as Readonly<Record<string, unknown>> | undefined;
  const { target, consent } = own;
  return {
    relay: own.relay ?? 'missing',
    view: String(placement?.['view']),
    display_mode: String(placement?.['display_mode']),
    target: typeof target === 'string' ? target : target ? `<${target.localName}>` : 'none',
    'sandbox, asked by the page': own.sandbox ? 'yes' : 'no',
    'sandbox, said by the relay': saysSandbox(subject),
    theme: options.theme ?? 'auto',
    locale: options.locale ?? 'of the page',
    maxOffers: String(options.maxOffers ?? 'all'),
    consent: consent instanceof Promise ? 'awaited' : String(consent ?? 'not asked for'),
  };
}

function saysSandbox({ mount }: Subject): string {
  const { answered } = mount.offers.explain();
  return answered ? (answered.isSandbox ? 'yes' : 'no') : 'nothing yet';
}

function relayOf({ relay }: MountOptions): string {
  try {
    const { origin, pathname } = new URL(relay, dom.baseURI);
    return relay ? origin + pathname.replace(/\/+$/, '') : '';
  } catch {
    return '';
  }
}
