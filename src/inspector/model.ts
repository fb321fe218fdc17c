import type { PageCheck } from './checkPage.ts';
import type { Forced } from './forcing.ts';
import type { InspectedMount } from './openMounts.ts';
import type { DeadLetter } from '../queue/events.ts';
import type { Explanation, PageEvent } from '../session/openTrace.ts';
import type { OfferVisibility } from './measureOffers.ts';
import type { RequestRecord } from './observePage.ts';
import type { Dock, Preferences, Tab } from './preferences.ts';

/** What the inspector shows. */
export interface Model {
  readonly preferences: Preferences;
  readonly mounts: readonly InspectedMount[];
  /** The mount that the panels show. */
  readonly mount: InspectedMount | undefined;
  readonly explanation: Explanation | undefined;
  readonly requests: readonly RequestRecord[];
  readonly visibilities: readonly OfferVisibility[];
  /** The last result of the page checks; undefined while they run for the first time. */
  readonly checks: readonly PageCheck[] | undefined;
  /** Parameters of the page's URL that force nothing, because they are not known. */
  readonly unknown: readonly string[];
  /** What the last action did. */
  readonly notice: string;
  /** Returns when an event was emitted, in milliseconds since 1970. */
  receivedAt(event: PageEvent): number | undefined;
}

/** What a tester can do in the inspector. */
export interface Actions {
  open(isOpen: boolean): void;
  dock(dock: Dock): void;
  showTab(tab: Tab): void;
  selectMount(id: number): void;
  force(forced: Forced): void;
  consent(isGiven: boolean): void;
  flush(): void;
  purge(): void;
  replay(letter: DeadLetter): void;
  checkPage(): void;
  copyReport(): void;
}

/** The props of every panel. */
export interface PanelProps {
  readonly model: Model;
  readonly actions: Actions;
}
