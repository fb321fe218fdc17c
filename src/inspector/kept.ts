import { isObject, own, parseJson } from '../wire/json.ts';
import { oneOf } from '../wire/oneOf.ts';
import type { Forced } from './force.ts';

/** Where the page looks whether the relay has said sandbox in this tab; here is what the inspector keeps for it. */
const KEY = 'offerlet-inspector';

/** Where the panel stands. */
export const DOCKS = ['bottom', 'right', 'left'] as const;
export type Dock = (typeof DOCKS)[number];

/** The panels, in their order. */
export const TABS = ['Outcome', 'Wire', 'Seen', 'Events', 'Queue', 'Force', 'Page'] as const;
export type Tab = (typeof TABS)[number];

/** What survives a reload of the tab. */
export interface Kept {
  readonly isOpen: boolean;
  readonly dock: Dock;
  readonly tab: Tab;
  readonly forced: Forced;
}

/** What was kept, as far as it can be read. */
export function readKept(isOpen: boolean): Kept {
  let json: unknown;
  try {
    json = parseJson(sessionStorage.getItem(KEY) ?? '');
  } catch {
    // Blocked: then it begins anew on every page.
  }
  const forced = own(json, 'forced');
  const words = isObject(forced) ? Object.entries(forced).filter(([, word]) => typeof word === 'string') : [];
  const wasOpen = own(json, 'isOpen');
  return {
    isOpen: typeof wasOpen === 'boolean' ? wasOpen : isOpen,
    dock: oneOf(DOCKS, own(json, 'dock')) ?? (innerWidth > 900 ? 'right' : 'bottom'),
    tab: oneOf(TABS, own(json, 'tab')) ?? 'Outcome',
    forced: Object.fromEntries(words) as Record<string, string>,
  };
}

/** Keeps it for the next page of this tab. */
export function writeKept(kept: Kept): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // Blocked or full: nothing survives, nothing breaks.
  }
}
