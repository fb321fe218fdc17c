import { render } from 'preact';
import { withOwnerDocument } from '../dom/dom.ts';
import { readForcing, openPageForcing, readForcedUrl, withoutForcing } from './forcing.ts';
import type { Inspected } from '../page/showOptions.ts';
import { describeOptions, describeRequest, describeUnseenRequest } from './describe.ts';
import { clear, type InspectedMount, openMounts, replay } from './openMounts.ts';
import { measureOffers } from './measureOffers.ts';
import { observePage, recordRequests } from './observePage.ts';
import { openHost, openRoom } from './shell/openHost.ts';
import { openPreferences } from './preferences.ts';
import { Shell } from './shell/Shell.tsx';
import { type PageCheck, checkPage } from './checkPage.ts';
import type { Actions } from './model.ts';
import { writeReport } from './writeReport.ts';

/** Milliseconds between two updates of what changes without an event, such as the queue. */
const UPDATE_MS = 500;
/** Milliseconds between two measurements of visibility while the Seen panel is open. */
const MEASURE_MS = 100;

/** Opens the inspector on this page. Returns a function that shows a mount, to be called again when the mount has offers. */
export function openInspector(): (mount: Inspected) => void {
  const fromUrl = readForcedUrl(location.search);
  const preferences = openPreferences({ isOpen: location.search.includes('offerlet=inspect'), ...fromUrl });
  const room = openRoom();
  const host = openHost(room.moveLayers);
  const requests = recordRequests(drawSoon);
  const forceOnPage = openPageForcing();
  const measure = measureOffers();
  const mounts = openMounts({ getForced: () => preferences.now.forced, onRelay: requests.watch });
  const page = observePage((event, place) => {
    mounts.receive(event, place);
    host.stayOnTop();
    drawSoon();
  });
  let isDrawing = false;
  /** What the last actions resulted in. */
  const results: { notice: string; checks: readonly PageCheck[] | undefined } = { notice: '', checks: undefined };
  const actions: Actions = {
    open(isOpen) {
      preferences.change({ isOpen });
      draw();
      host.root.querySelector<HTMLElement>(isOpen ? '[role=tab][aria-selected=true]' : '.opener')?.focus();
    },
    dock(dock) {
      preferences.change({ dock });
      draw();
    },
    showTab(tab) {
      preferences.change({ tab });
      if (tab === 'Page') actions.checkPage();
      draw();
      update();
    },
    selectMount(id) {
      mounts.select(id);
      update();
    },
    force(forced) {
      if (readForcedUrl(location.search)) history.replaceState(history.state, '', withoutForcing(location.href));
      preferences.change({ forced });
      force();
      mounts.showAgain();
      draw();
    },
    consent: (isGiven) => mounts.selected?.handle.mount.consent(isGiven),
    flush: () => void act('Sent what could be sent.', async (mount) => mount.queue?.flush()),
    purge: () => void act('The queue is empty.', async ({ queue }) => (queue ? clear(queue) : undefined)),
    replay: (letter) => void act('Sent again.', async ({ queue }) => (queue ? replay(queue, letter) : undefined)),
    checkPage: () => void act('', check),
    copyReport: () => void act('The report is in the clipboard.', copyReport),
  };

  force();
  setInterval(update, UPDATE_MS);
  setInterval(() => isShowing('Seen') && draw(), MEASURE_MS);
  return (mount) => {
    mounts.inspect(mount);
    update();
  };

  function isShowing(...tabs: string[]): boolean {
    const { isOpen, tab } = preferences.now;
    return isOpen && tabs.includes(tab);
  }

  function force(): void {
    const forced = readForcing(preferences.now.forced);
    requests.force(forced);
    forceOnPage(forced.page ?? {});
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
      explanation: mounts.selected?.handle.mount.explain(),
      requests: requests.all,
      visibilities: isShowing('Seen') ? measure(mounts.all.flatMap(({ hosts }) => [...hosts])) : [],
      unknown: fromUrl?.unknown ?? [],
      ...results,
      receivedAt: page.receivedAt,
    };
    render(<Shell model={model} actions={actions} />, withOwnerDocument(host.root));
  }

  /** Runs an action on the selected mount, and shows a notice when it is done or has failed. */
  async function act(notice: string, work: (mount: InspectedMount) => Promise<unknown>): Promise<void> {
    try {
      if (mounts.selected) await work(mounts.selected);
      results.notice = notice;
    } catch (error) {
      results.notice = String(error);
    }
    update();
  }

  async function check(mount: InspectedMount): Promise<void> {
    results.checks = await checkPage({ mount, fetch: requests.fetch, refused: page.refused, shifts: page.shifts });
  }

  async function copyReport(mount: InspectedMount): Promise<void> {
    await Promise.all([check(mount), mounts.refreshQueue()]);
    const explanation = mount.handle.mount.explain();
    const report = writeReport({
      explanation,
      json: mount.json,
      sentences: describeRequest(mount, explanation),
      unseenRequest: describeUnseenRequest(mount, explanation, requests.all),
      forced: preferences.now.forced,
      options: describeOptions(mount),
      requests: requests.all,
      stats: mount.stats,
      checks: results.checks ?? [],
      href: location.href,
      now: new Date(),
    });
    if (!isSecureContext) throw new Error('Browsers copy from pages on https only.');
    await navigator.clipboard.writeText(report);
  }
}

let show: ((mount: Inspected) => void) | undefined;

/** Opens the inspector, one for all mounts of a page, and shows this mount in it. */
export async function inspect(mount: Inspected): Promise<void> {
  show ??= openInspector();
  show(mount);
}
