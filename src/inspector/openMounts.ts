import { dom } from '../dom/dom.ts';
import type { DeadLetter, QueueStats } from '../queue/events.ts';
import type { EventRow } from '../queue/rows.ts';
import type { Inspected, ShowOptions } from '../page/showOptions.ts';
import type { PageEvent } from '../session/openTrace.ts';
import type { SessionQueue } from '../queue/openCore.ts';
import { QUEUE_MAX_EVENTS } from '../wire/limits.ts';
import { type Forced, forcedOptions, readForcing } from './forcing.ts';
import { publicQueue } from '../queue/openQueue.ts';

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

function relayUrl({ relay }: ShowOptions): string {
  try {
    const { origin, pathname } = new URL(relay, dom.baseURI);
    return relay ? origin + pathname.replace(/\/+$/, '') : '';
  } catch {
    return '';
  }
}

/** Empties the queue, and what the page remembers of orders. */
export async function clear({ notes, rows }: SessionQueue): Promise<void> {
  notes?.clear();
  await rows.clear();
}

/** Sends the event of a dead letter again, with the same id, and removes the letter. */
export async function replay(queue: SessionQueue, { event }: DeadLetter): Promise<void> {
  const rows = await readRows(queue);
  const letters = rows.filter(([, row]) => row.reason !== undefined && row.event.event_id === event.event_id);
  // Tracked before the letter is removed: a page that is closed in between has both, never neither.
  await queue.track(event);
  await queue.rows.change(letters.map(([key]) => [key]));
  await queue.flush();
}

async function readRows({ rows }: SessionQueue): Promise<(readonly [key: string, row: EventRow])[]> {
  const { first } = await rows.read(QUEUE_MAX_EVENTS);
  return [...first].flatMap(([key, value]) => (isEventRow(value) ? [[key, value] as const] : []));
}

function isEventRow(value: unknown): value is EventRow {
  return typeof value === 'object' && value !== null && 'event' in value;
}

/** Maximum recorded mounts: a page that mounts and destroys for hours must not fill the memory. */
const MOUNTS_MAX = 20;

/** The mounts of a page. */
export interface Mounts {
  readonly all: readonly InspectedMount[];
  readonly selected: InspectedMount | undefined;
  select(id: number): void;
  /** Takes over a mount, or its latest state; shows it again when it does not show what is forced. */
  inspect(handle: Inspected): void;
  /** Shows every mount again under what is forced now. */
  showAgain(): void;
  /** Records which mount emitted an event, and from which element. */
  receive(event: PageEvent, host: Element | undefined): void;
  /** Reads the state of the selected mount's queue. */
  refreshQueue(): Promise<void>;
}

/** Opens the list of mounts. `onRelay` is called with the relay's URL of each new mount. */
export function openMounts(options: { getForced(): Forced; onRelay(relay: string): void }): Mounts {
  const all: InspectedMount[] = [];
  let selected: InspectedMount | undefined;
  let count = 0;

  function add(handle: Inspected): InspectedMount {
    const mount: InspectedMount = {
      id: ++count,
      handle,
      ownOptions: handle.options,
      relay: relayUrl(handle.options),
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
    all.push(mount);
    if (all.length > MOUNTS_MAX) all.splice(all[0] === selected ? 1 : 0, 1);
    selected ??= mount;
    options.onRelay(mount.relay);
    return mount;
  }

  /** Shows a mount from the start, under what is forced now. */
  function show(mount: InspectedMount): void {
    const forced = options.getForced();
    mount.shownUnder = forcedText(forced);
    mount.lastEventBefore = mount.handle.mount.explain().events.at(-1);
    mount.json = undefined;
    mount.renderedAt = undefined;
    mount.handle.again(forcedOptions(mount.ownOptions, readForcing(forced).page ?? {}));
  }

  return {
    all,
    get selected() {
      return selected;
    },
    select(id) {
      selected = all.find((mount) => mount.id === id) ?? selected;
    },
    inspect(handle) {
      const mount = all.find((known) => known.handle.mount === handle.mount) ?? add(handle);
      mount.handle = handle;
      if (mount.shownUnder !== forcedText(options.getForced())) return show(mount);
      mount.mode = handle.options?.request?.placement_details?.display_mode ?? '';
      if (!handle.body) return;
      mount.body = handle.body;
      mount.json = handle.json;
      mount.queue = handle.queue;
      mount.queue?.record?.(window.fetch);
    },
    showAgain() {
      for (const mount of all) show(mount);
    },
    receive(event, host) {
      const mount = all.find(({ handle }) => handle.mount.explain().events.includes(event));
      if (!mount) return;
      for (const known of mount.hosts) if (!known.isConnected) mount.hosts.delete(known);
      if (host) mount.hosts.add(host);
      if (event.type === 'outcome' && event.code === 'rendered') mount.renderedAt = performance.now();
    },
    async refreshQueue() {
      const mount = selected;
      if (!mount?.queue) return;
      const { queue } = mount;
      const { stats: readStats, deadLetters: readLetters } = publicQueue(queue);
      const [stats, deadLetters, all] = await Promise.all([readStats(), readLetters(), readRows(queue)]);
      const rows = all.flatMap(([, row]) => (row.reason === undefined ? [row] : []));
      Object.assign(mount, { stats, deadLetters, rows });
    },
  };
}

function forcedText(forced: Forced): string {
  return Object.keys(forced).length > 0 ? JSON.stringify(forced) : '';
}
