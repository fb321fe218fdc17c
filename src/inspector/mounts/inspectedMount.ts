import { dom } from '../../dom/dom.ts';
import type { DeadLetter, QueueStats } from '../../queue/events.ts';
import type { EventRow } from '../../queue/rows/rows.ts';
import type { Inspected } from '../../page/inspection.ts';
import type { PageEvent } from '../../session/events.ts';
import type { SessionQueue } from '../../queue/openSessionQueue.ts';
import type { ShowOptions } from '../../page/showOptions.ts';

/** One mount, and what the inspector knows about it. */
export interface InspectedMount {
  readonly id: number;
  /** The mount as the page handed it over last. */
  handle: Inspected;
  /** The options that the page wrote, without anything forced. */
  readonly ownOptions: ShowOptions;
  /** The relay's URL without a slash at the end; empty when the page names none. */
  readonly relay: string;
  /** The elements in which its offers were mounted. */
  readonly hosts: Set<Element>;
  /** The last event before the mount was shown again. Later events belong to what is shown now. */
  lastEventBefore: PageEvent | undefined;
  /** What was forced when it was shown last, as JSON. */
  shownUnder: string;
  mode: string;
  /** The body of its request for offers, and the response as it arrived. */
  body: Inspected['body'];
  json: unknown;
  /** When its offers were rendered, by `performance.now()`. */
  renderedAt: number | undefined;
  queue: SessionQueue | undefined;
  stats: QueueStats | undefined;
  deadLetters: readonly DeadLetter[];
  rows: readonly EventRow[];
}

/** Creates the record of a mount that the page has just handed over. */
export function createInspectedMount(handle: Inspected, id: number): InspectedMount {
  return {
    id,
    handle,
    ownOptions: handle.options,
    relay: relayOf(handle.options),
    hosts: new Set(),
    lastEventBefore: undefined,
    shownUnder: '',
    mode: '',
    body: undefined,
    json: undefined,
    renderedAt: undefined,
    queue: undefined,
    stats: undefined,
    deadLetters: [],
    rows: [],
  };
}

function relayOf({ relay }: ShowOptions): string {
  try {
    const { origin, pathname } = new URL(relay, dom.baseURI);
    return relay ? origin + pathname.replace(/\/+$/, '') : '';
  } catch {
    return '';
  }
}
