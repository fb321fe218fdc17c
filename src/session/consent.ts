/**
 * Decides on consent, now or later, once or repeatedly. It is called once. If it returns a function, that is called
 * when the session ends.
 */
export interface ConsentSource {
  (decide: (decision: ConsentValue) => void): void | (() => void);
  /** What it is called in `explain()` and in the inspector. */
  readonly source?: string;
  /** What to do while there is no decision, in a sentence: it takes the place of the usual one. */
  hint?: string;
}

/** A decision on consent. `required`, `null` and `undefined` mean: not decided yet. */
export type ConsentValue = boolean | 'granted' | 'denied' | 'required' | null | undefined;

/** What may be passed as consent. */
export type ConsentOption = ConsentValue | Promise<ConsentValue> | ConsentSource;

/** A decision on consent, as `explain()` returns it. */
export interface ConsentDecision {
  readonly isGiven: boolean;
  /** `option`, `default`, `Global Privacy Control`, `consent()`, `elsewhere` (another tab or mount), or the name of the source. */
  readonly by: string;
  /** When, as an ISO 8601 date and time. */
  readonly at: string;
}

/** One entry of the log. Without `isGiven`, whoever it is by has no decision, or none any more. */
export interface ConsentEntry extends Omit<ConsentDecision, 'isGiven'> {
  readonly isGiven: boolean | undefined;
  /** What a denial is about: this mount; what the origin stores as well; or that, and another tab or mount has cleared it. */
  readonly scope: 'mount' | 'origin' | 'elsewhere';
  /** Whether an option, which is there at the next mount as well, decides anew. */
  readonly isOption?: boolean;
}

/**
 * Returns the entry that counts. Consent is given by an entry that gives it, until a later one denies it or takes it back. A
 * denial holds until consent is given; the first one for the origin comes before others. What is withdrawn elsewhere was never
 * given where there is no decision.
 */
export function readConsent(log: readonly ConsentEntry[]): ConsentEntry | undefined {
  return log.reduce<ConsentEntry | undefined>((before, entry) => {
    const { isGiven, scope } = entry;
    if (isGiven) return before?.isGiven && before.by !== 'default' ? before : entry;
    if (before?.isGiven) return entry;
    const isNew =
      before?.isGiven === undefined ? scope !== 'elsewhere' : before.scope !== 'origin' && scope === 'origin';
    return isGiven === false && isNew ? entry : before;
  }, undefined);
}

/** Names what can be passed as consent, for messages. */
export const CONSENT_VALUES = "true, false, 'granted', 'denied', 'required', a promise or a source";

/** Whether a value can be passed as consent. */
export function isConsentOption(value: unknown): value is ConsentOption {
  return (
    value == null ||
    ['granted', 'denied', 'required'].includes(value as string) ||
    /^(boolean|function)$/.test(typeof value) ||
    isThenable(value)
  );
}

/** Called after each entry, even one that changes nothing, with what counts now and what counted before. */
type ConsentListener = (now: ConsentEntry | undefined, before: ConsentEntry | undefined) => void;

/** The log of decisions on consent of one mount, or of a whole page. */
export interface Consent {
  /** The entry that counts. */
  readonly latest: ConsentEntry | undefined;
  /** Calls back until the returned function is called. */
  subscribe(listener: ConsentListener): () => void;
  /** Begins a mount with its options. */
  begin(options: object, scope?: ConsentScope): void;
  /** Takes what a caller passes as consent. `by` names the caller. */
  set(value: unknown, by: string): void;
  /** Consent was withdrawn in another tab, or by another mount. */
  withdraw(): void;
  /** Closes the source. */
  closeSource(): void;
  /** Closes the source and ignores whatever is decided from now on. */
  close(): void;
}

/** What a mount belongs to. */
export interface ConsentScope {
  /** The consent of the page, whose decisions the mount follows. */
  readonly page?: Consent | undefined;
  readonly place?: ConsentPlace | undefined;
}

/** Where mounts follow one another, such as an element. What no option has decided, unless it is consent, holds for the next one. */
export interface ConsentPlace {
  latest?: ConsentEntry | undefined;
}

/** Opens the consent of a page: by default, each mount has its own. */
export function openPageConsent(): Consent {
  return openConsent([entryOf(true, 'default', 'mount')]);
}

/** Opens a consent. */
export function openConsent(log: ConsentEntry[] = []): Consent {
  const listeners = new Set<ConsentListener>();
  let latest = readConsent(log);
  /** What was passed or decided last: a promise that it has overtaken is ignored. */
  let newest: object | undefined;
  let isBeginning = false;
  let isClosed = false;
  /** Tells the current source from those that it has replaced, even from an earlier call of the same function. */
  let listening: object | undefined;
  let unsubscribe: unknown;
  let unfollow: (() => void) | undefined;
  let page: Consent | undefined;
  let place: ConsentPlace = {};

  function add(entry: ConsentEntry): void {
    if (isClosed || (entry.scope === 'elsewhere' && !latest?.isGiven)) return;
    const before = latest;
    if (entry.isGiven !== undefined) newest = entry;
    // A repeated call withdraws once more what was given elsewhere meanwhile.
    if (entry.isGiven === false && entry.by === 'consent()') log.length = 0;
    // A source may say the same again and again.
    const last = log.at(-1);
    if (!last || last.isGiven !== entry.isGiven || last.by !== entry.by) log.push(entry);
    latest = readConsent(log);
    place.latest = latest;
    notify(before);
  }

  function notify(before: ConsentEntry | undefined): void {
    if (!isBeginning) for (const listener of listeners) listener(latest, before);
  }

  /** Adds what a caller, or its source, has decided. */
  function decide(value: unknown, by: string, isOption: boolean): void {
    // Where the page has given consent, a mount that never had any says nothing about what is stored.
    const isOwn = isAsked(page) && page?.latest?.isGiven && !log.some(({ isGiven }) => isGiven);
    add(entryOf(decisionIn(value), by, isOwn ? 'mount' : 'origin', isOption));
  }

  /** Follows a source instead of the one before. Until it decides, there is no decision. */
  function listen(current: ConsentSource, isOption: boolean): void {
    closeSource();
    const call = (listening = {});
    let by = 'function';
    let returned: unknown;
    let hasDecided = false;
    const hear = (value: unknown): void => {
      hasDecided = true;
      if (call === listening) decide(value, by, isOption);
    };
    try {
      if (typeof current.source === 'string') by = current.source;
      returned = current(hear);
      if (isThenable(returned)) void Promise.resolve(returned).catch(() => hear(false));
    } catch {
      hear(false);
    }
    // The source itself may have ended what it decides for, or passed another source.
    if (isClosed || call !== listening) return tryToCall(returned);
    unsubscribe = returned;
    if (!hasDecided) decide(undefined, by, isOption);
  }

  function closeSource(): void {
    const before = unsubscribe;
    unsubscribe = listening = undefined;
    tryToCall(before);
  }

  function set(value: unknown, by: string): void {
    if (isClosed) return;
    const isOption = by === 'option';
    const asked = (newest = {});
    if (typeof value === 'function') return listen(value as ConsentSource, isOption);
    decide(value, by, isOption);
    if (!isThenable(value)) return;
    const settle = (isGiven: unknown): void => {
      if (asked === newest) decide(decisionIn(isGiven) === true, by, isOption);
    };
    // Its `then` may throw, or call back twice.
    void Promise.resolve(value).then(settle, () => settle(false));
  }

  function follow(decided: ConsentEntry | undefined): void {
    if (decided) add(isBeginning ? { ...decided, scope: 'mount' } : decided);
    // The page remembers by itself.
    place.latest = undefined;
  }

  return {
    get latest() {
      return latest;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    begin(options, { page: of, place: at = place } = {}) {
      const before = latest;
      page = of;
      unfollow?.();
      unfollow = page?.subscribe(follow);
      place = at;
      isBeginning = true;
      const option: unknown = 'consent' in options ? options.consent : undefined;
      const decided = page?.latest;
      const isDenied = decided?.isGiven === false;
      const isOpen = option == null || option === 'required';
      // The option was there before: what was denied or taken back since holds until something new is decided.
      const held = isDenied ? decided : place.latest;
      const isHeld = held && !held.isGiven && !held.isOption;
      // What was decided for the page: a denial holds for every mount, consent for those without their own decision.
      const isFollowing = decided && isOpen && isAsked(page) && !(isHeld && held.at >= decided.at);
      if (isDenied ? decided.scope === 'origin' : isFollowing) follow(decided);
      else {
        // Only an option that is absent means the default.
        if ('consent' in options) set(option, 'option');
        else if (hasPrivacySignal()) add(entryOf(false, 'Global Privacy Control', 'mount', true));
        else add(entryOf(true, 'default', 'mount'));
        if (isHeld) add(entryOf((newest = held).isGiven, 'elsewhere', 'mount'));
      }
      isBeginning = false;
      notify(before);
    },
    set,
    withdraw: () => add(entryOf(false, 'elsewhere', 'elsewhere')),
    closeSource,
    close() {
      isClosed = true;
      unfollow?.();
      listeners.clear();
      closeSource();
    },
  };
}

function entryOf(
  isGiven: boolean | undefined,
  by: string,
  scope: ConsentEntry['scope'],
  isOption = false,
): ConsentEntry {
  return { isGiven, by, at: new Date().toISOString(), scope, isOption };
}

/** Whether anybody has been asked for a decision for the page, or has made one: then mounts do not use their default. */
function isAsked(page: Consent | undefined): boolean {
  return page?.latest?.by !== 'default';
}

/** Only `true` and `granted` give consent, and only `false` and `denied` deny it. */
function decisionIn(value: unknown): boolean | undefined {
  return value === true || value === 'granted' ? true : value === false || value === 'denied' ? false : undefined;
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  try {
    return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
  } catch {
    return false;
  }
}

/** Closes a source. It is the merchant's own function, which may throw. */
function tryToCall(close: unknown): void {
  try {
    if (typeof close === 'function') (close as () => void)();
  } catch {
    // Nothing depends on it.
  }
}

/** Whether the browser sends Global Privacy Control. */
function hasPrivacySignal(): boolean {
  return (globalThis.navigator as { globalPrivacyControl?: unknown } | undefined)?.globalPrivacyControl === true;
}
