import { type Check, checkPage } from './checkPage.ts';
import { readForcedUrl, withoutForcing } from './forcing.ts';
import type { Actions } from './model.ts';
import {
  type InspectedMount,
  type Mounts,
  describeOptions,
  describeUnseenRequest,
  empty,
  replay,
} from './openMounts.ts';
import type { PageObserver, RequestRecorder } from './observePage.ts';
import { writeReport } from './writeReport.ts';
import { copyText } from './shell/openHost.ts';
import type { OpenPreferences } from './shell/preferences.ts';

/** What the last actions resulted in. */
export interface ActionResults {
  notice: string;
  checks: readonly Check[] | undefined;
}

/** What the actions work on. */
export interface ActionOptions {
  readonly preferences: OpenPreferences;
  readonly root: ShadowRoot;
  readonly requests: RequestRecorder;
  readonly mounts: Mounts;
  readonly page: PageObserver;
  /** Forces what the preferences say. */
  force(): void;
  update(): void;
  draw(): void;
}

/** Creates the actions of the panels, and the object in which their results appear. */
export function createActions(options: ActionOptions): { actions: Actions; results: ActionResults } {
  const { preferences, root, requests, mounts, page, force, update, draw } = options;
  const results: ActionResults = { notice: '', checks: undefined };

  const actions: Actions = {
    open(isOpen) {
      preferences.change({ isOpen });
      draw();
      root.querySelector<HTMLElement>(isOpen ? '[role=tab][aria-selected=true]' : '.opener')?.focus();
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
    consent: (isGiven) => mounts.selected?.handle.offers.consent(isGiven),
    flush: () => void act('Sent what could be sent.', async (mount) => mount.queue?.flush()),
    purge: () => void act('The queue is empty.', async ({ queue }) => (queue ? empty(queue) : undefined)),
    replay: (letter) => void act('Sent again.', async ({ queue }) => (queue ? replay(queue, letter) : undefined)),
    checkPage: () => void act('', check),
    copyReport: () => void act('The report is in the clipboard.', copyReport),
  };
  return { actions, results };

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
    const explanation = mount.handle.offers.explain();
    const report = writeReport({
      explanation,
      unseenRequest: describeUnseenRequest(mount, explanation, requests.all),
      forced: preferences.now.forced,
      options: describeOptions(mount),
      requests: requests.all,
      stats: mount.stats,
      checks: results.checks ?? [],
      href: location.href,
      now: new Date(),
    });
    await copyText(root, report);
  }
}
