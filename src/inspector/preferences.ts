import type { Forced } from './forcing.ts';
import { isObject, own, parseJson, oneOf } from '../wire/json.ts';

/** The key in sessionStorage. */
const KEY = 'offerlet-inspector';

/** Where the panel can be docked. */
export const DOCKS = ['bottom', 'right'] as const;
export type Dock = (typeof DOCKS)[number];

/** The panels, in order. */
export const TABS = ['Outcome', 'Wire', 'Seen', 'Events', 'Queue', 'Force', 'Page'] as const;
export type Tab = (typeof TABS)[number];

/** What survives a reload of the tab. */
export interface Preferences {
  readonly isOpen: boolean;
  readonly dock: Dock;
  readonly tab: Tab;
  readonly forced: Forced;
}

/** The preferences of this tab. */
export interface OpenPreferences {
  readonly now: Preferences;
  change(changes: Partial<Preferences>): void;
}

/** Reads the preferences of this tab, or the defaults. What the URL forces takes precedence over what is stored. */
export function openPreferences(fromUrl: { isOpen: boolean; forced?: Forced }): OpenPreferences {
  let now = { ...read(fromUrl.isOpen), ...(fromUrl.forced && { forced: fromUrl.forced }) };
  write(now);
  return {
    get now() {
      return now;
    },
    change(changes) {
      now = { ...now, ...changes };
      write(now);
    },
  };
}

function read(isOpen: boolean): Preferences {
  let json: unknown;
  try {
    json = parseJson(sessionStorage.getItem(KEY) ?? '');
  } catch {
    // Storage is blocked: every page load starts with the defaults.
  }
  const forced = own(json, 'forced');
  const values = isObject(forced) ? Object.entries(forced).filter(([, value]) => typeof value === 'string') : [];
  const wasOpen = own(json, 'isOpen');
  return {
    isOpen: typeof wasOpen === 'boolean' ? wasOpen : isOpen,
    dock: oneOf(DOCKS, own(json, 'dock')) ?? (innerWidth > 900 ? 'right' : 'bottom'),
    tab: oneOf(TABS, own(json, 'tab')) ?? 'Outcome',
    forced: Object.fromEntries(values) as Record<string, string>,
  };
}

function write(preferences: Preferences): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(preferences));
  } catch {
    // Storage is blocked or full: nothing survives a reload, nothing breaks.
  }
}
