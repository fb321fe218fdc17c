import type { Check } from './checkPage.ts';
import type { Forced } from './force.ts';
import type { Dock, Kept, Tab } from './kept.ts';
import type { DeadLetter, MountEvent, Story } from './mount.ts';
import type { Subject } from './subject.ts';
import type { Exchange } from './tap.ts';
import type { Sight } from './watchOffers.ts';

/** What the panels are drawn from. */
export interface Model {
  readonly kept: Kept;
  readonly subjects: readonly Subject[];
  readonly subject: Subject | undefined;
  readonly story: Story | undefined;
  readonly exchanges: readonly Exchange[];
  readonly sights: readonly Sight[];
  readonly checks: readonly Check[] | undefined;
  /** What the address asked for and nobody understands. */
  readonly unknown: readonly string[];
  /** A word on what was just done. */
  readonly said: string;
  /** When an event was heard, in milliseconds since 1970. */
  heardAt(event: MountEvent): number | undefined;
}

/** What the panels can ask for. */
export interface Actions {
  open(isOpen: boolean): void;
  dock(dock: Dock): void;
  show(tab: Tab): void;
  choose(id: number): void;
  force(forced: Forced): void;
  consent(isGiven: boolean): void;
  flush(): void;
  purge(): void;
  replay(letter: DeadLetter): void;
  check(): void;
  copyReport(): void;
}

/** What every panel is given. */
export interface PanelProps {
  readonly model: Model;
  readonly actions: Actions;
}
