import type { Forced } from '../force/forceOptions.ts';
import { forcedOptions } from '../force/openPageForcing.ts';
import { forcingOf } from '../force/forcingOf.ts';
import type { Inspected } from '../../page/inspection.ts';
import { publicQueue } from '../../queue/openQueue.ts';
import type { PageEvent } from '../../session/events.ts';
import { createInspectedMount, type InspectedMount } from './inspectedMount.ts';
import { readWaiting } from './queueRows.ts';

/** Maximum number of mounts kept: a page that mounts and destroys for hours must not fill the memory. */
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
    const mount = createInspectedMount(handle, ++count);
    all.push(mount);
    if (all.length > MOUNTS_MAX) all.splice(all[0] === selected ? 1 : 0, 1);
    selected ??= mount;
    options.onRelay(mount.relay);
    return mount;
  }

  /** Shows a mount from the start, under what is forced now. */
  function show(mount: InspectedMount): void {
    const forced = options.getForced();
    mount.shownUnder = keyOf(forced);
    mount.lastEventBefore = mount.handle.offers.explain().events.at(-1);
    mount.json = undefined;
    mount.renderedAt = undefined;
    mount.handle.again(forcedOptions(mount.ownOptions, forcingOf(forced).page ?? {}));
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
      const mount = all.find((known) => known.handle.offers === handle.offers) ?? add(handle);
      mount.handle = handle;
      if (mount.shownUnder !== keyOf(options.getForced())) return show(mount);
      mount.mode = handle.options?.request?.placement_details?.display_mode ?? '';
      if (!handle.body) return;
      mount.body = handle.body;
      mount.json = handle.json;
      // A new queue, because a queue keeps the `fetch` that it found when it was opened: this one's is recorded.
      mount.queue = handle.reopen();
    },
    showAgain() {
      for (const mount of all) show(mount);
    },
    receive(event, host) {
      const mount = all.find(({ handle }) => handle.offers.explain().events.includes(event));
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
      const [stats, deadLetters, rows] = await Promise.all([readStats(), readLetters(), readWaiting(queue)]);
      Object.assign(mount, { stats, deadLetters, rows });
    },
  };
}

function keyOf(forced: Forced): string {
  return Object.keys(forced).length > 0 ? JSON.stringify(forced) : '';
}
