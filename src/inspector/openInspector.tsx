import { render } from 'preact';
import { withOwnerDocument } from '../dom/dom.ts';
import { createActions } from './createActions.ts';
import { forcingOf, openPageForcing, readForcedUrl } from './forcing.ts';
import type { Inspected } from '../page/inspection.ts';
import { openMounts } from './openMounts.ts';
import { measureOffers } from './measureOffers.ts';
import { observePage, recordRequests } from './observePage.ts';
import { openHost, openRoom } from './shell/openHost.ts';
import { openPreferences } from './shell/preferences.ts';
import { Shell } from './shell/Shell.tsx';

/** The inspector of a page. */
export interface Inspector {
  /** Shows a mount. Called again whenever the mount has new offers, or ends without any. */
  inspect(mount: Inspected): void;
}

/** Milliseconds between two updates of what changes without an event, such as the queue. */
const UPDATE_MS = 500;
/** Milliseconds between two measurements of visibility while the Seen panel is open. */
const MEASURE_MS = 100;

/** Opens the inspector on this page. */
export function openInspector(): Inspector {
  const fromUrl = readForcedUrl(location.search);
  const preferences = openPreferences({ isOpen: location.search.includes('offerlet=inspect'), ...fromUrl });
  const room = openRoom();
  const host = openHost(room.moveLayers);
  const requests = recordRequests(drawSoon);
  const forcing = openPageForcing();
  const visibility = measureOffers();
  const mounts = openMounts({ getForced: () => preferences.now.forced, onRelay: requests.watch });
  const page = observePage((event, place) => {
    mounts.receive(event, place);
    host.stayOnTop();
    drawSoon();
  });
  const { actions, results } = createActions({
    preferences,
    root: host.root,
    requests,
    mounts,
    page,
    force,
    update,
    draw,
  });
  let isDrawing = false;

  force();
  setInterval(update, UPDATE_MS);
  setInterval(() => isShowing('Seen') && draw(), MEASURE_MS);
  return {
    inspect(mount) {
      mounts.inspect(mount);
      update();
    },
  };

  function isShowing(...tabs: string[]): boolean {
    const { isOpen, tab } = preferences.now;
    return isOpen && tabs.includes(tab);
  }

  function force(): void {
    const forced = forcingOf(preferences.now.forced);
    requests.force(forced);
    forcing.force(forced.page ?? {});
  }

  function update(): void {
    host.stayOnTop();
    if (isShowing('Queue', 'Events')) mounts.refreshQueue().then(draw, draw);
    else drawSoon();
  }

  function drawSoon(): void {
    if (isDrawing) return;
    isDrawing = true;
    queueMicrotask(draw);
  }

  function draw(): void {
    isDrawing = false;
    room.reserve(preferences.now.isOpen ? preferences.now.dock : undefined);
    const model = {
      preferences: preferences.now,
      mounts: mounts.all,
      mount: mounts.selected,
      explanation: mounts.selected?.handle.offers.explain(),
      requests: requests.all,
      visibilities: isShowing('Seen') ? visibility.measure(mounts.all.flatMap(({ hosts }) => [...hosts])) : [],
      unknown: fromUrl?.unknown ?? [],
      ...results,
      receivedAt: page.receivedAt,
    };
    render(<Shell model={model} actions={actions} />, withOwnerDocument(host.root));
  }
}

let inspector: Inspector | undefined;

/** Opens the inspector, one for all mounts of a page, and shows this mount in it. */
export async function inspect(mount: Inspected): Promise<void> {
  inspector ??= openInspector();
  inspector.inspect(mount);
}
