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
  /** Where the mount is that it is about. Without it, it is about the whole page. */
  readonly place?: object | undefined;
  /** What a denial clears: what the origin stores; or another tab or mount has cleared that. Without it, nothing. */
  readonly scope?: 'origin' | 'elsewhere' | undefined;
  /** It is by an option, which is there at the next mount as well: what that says first, or later. */
  readonly option?: 'first' | 'later' | undefined;
}

/** Decisions on consent in order, those for a page and those for the places in it. */
interface ConsentLog {
  /** The first one is the default. */
  entries: ConsentEntry[];
  readonly listeners: Set<(entry: ConsentEntry) => void>;
}

/**
 * Returns the entry that counts for a place, or for the page. Consent is given by an entry that gives it, until a later one
 * denies it or takes it back. A denial holds until consent is given; one that clears what is stored comes before others. What is
 * withdrawn elsewhere was never given where there is no decision. What an option says first counts if nobody has decided here,
 * and the page has not denied.
 */
function readConsent(entries: readonly ConsentEntry[], here?: object): ConsentEntry {
  return entries.reduce((before, entry) => {
    const { isGiven, by, place, scope, option } = entry;
    const wasDenied = before.isGiven === false;
    if (place && place !== here) return before;
    let counts: unknown = isGiven || before.isGiven;
    if (option === 'first') counts = before.option || !(before.place || wasDenied);
    else if (isGiven === false && !counts)
      // A repeated call withdraws once more what was given elsewhere meanwhile.
      counts = wasDenied ? by === 'consent()' || (scope === 'origin' && before.scope !== scope) : scope !== 'elsewhere';
    return counts ? entry : before;
  });
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

/** Consent in one place, such as an element, where mounts may follow one another; or that of a whole page. */
export interface Consent {
  /** What is decided for a page, and in its places. */
  readonly log: ConsentLog;
  /** The entry that counts. */
  readonly latest: ConsentEntry | undefined;
  /** Begins a mount with its options, which follows what is decided for the page. Calls back until it is closed. */
  begin(options: { readonly consent?: unknown }, listener: ConsentListener, page?: Consent): void;
  /** Takes what a caller passes as consent. `by` names the caller. */
  set(value: unknown, by: string): void;
  /** Consent was withdrawn in another tab, or by another mount. */
  withdraw(): void;
  /** Closes the source. */
  closeSource(): void;
  /** Ends the mount: closes the source, and ignores what is decided until the next one begins. */
  close(): void;
}

/** What a mount belongs to. */
export interface ConsentScope {
  /** The consent of the page. */
  readonly page?: Consent | undefined;
  readonly place?: ConsentPlace | undefined;
}

/** Where mounts follow one another, such as an element: what no option has denied or taken back holds for the next one. */
export interface ConsentPlace {
  consent?: Consent;
}

/** Opens the consent of a place, or of a whole page: by default, each mount there has its own. */
export function openConsent(place?: object, listener?: ConsentListener): Consent {
  /** That of its page, once a mount begins there. */
  let log: ConsentLog = { entries: [], listeners: new Set() };
  let latest: ConsentEntry | undefined;
  /** What was passed or decided last: a promise that it has overtaken is ignored. */
  let newest: object | undefined;
  /** Said while a mount begins. */
  let first: 'first' | undefined;
  let isClosed = false;
  /** Tells the current source from those that it has replaced, even from an earlier call of the same function. */
  let listening: object | undefined;
  let unsubscribe: unknown;

  function add(entry: Omit<ConsentEntry, 'at'>): void {
    const added = { place, ...entry, at: new Date().toISOString() };
    // A source may say the same again and again.
    if (latest?.isGiven !== added.isGiven || latest?.by !== added.by || added.by === 'consent()')
      log.entries.push(added);
    for (const listener of log.listeners) listener(added);
  }

  /** Hears an entry of the log. */
  function hear({ isGiven, scope, option, place: at }: ConsentEntry): void {
    if (at && at !== place) return;
    if (isGiven !== undefined && scope !== 'elsewhere' && option !== 'first') newest = {};
    if (!first) update(latest);
  }

  function update(before: ConsentEntry | undefined): void {
    latest = readConsent(log.entries, place);
    listener?.(latest, before);
  }

  /** Leaves in the log what holds for the next mount: what no option has denied or taken back, until something new is decided. */
  function leave(): void {
    const held = readConsent(log.entries, place);
    log.entries = log.entries.filter((entry) => entry.place !== place);
    if (held.place && !held.isGiven && !held.option) log.entries.push({ ...held, scope: undefined });
  }

  /** Adds what a caller, or its source, has decided. */
  function decide(value: unknown, by: string, option: ConsentEntry['option']): void {
    const ofPage = readConsent(log.entries);
    // Where the page has given consent, the option of a mount that has none says nothing about what is stored.
    const isOwn = option && ofPage.isGiven && !ofPage.option && !latest?.isGiven;
    add({ isGiven: decisionIn(value), by, scope: isOwn ? undefined : 'origin', option });
  }

  /** Follows a source instead of the one before. Until it decides, there is no decision. */
  function listen(current: ConsentSource): void {
    closeSource();
    const isOption = first;
    const call = (listening = {});
    let by = 'function';
    let returned: unknown;
    let hasDecided = false;
    const say = (value: unknown): void => decide(value, by, isOption && (first ?? 'later'));
    const take = (value: unknown): void => {
      hasDecided = true;
      if (call === listening) say(value);
    };
    try {
      if (typeof current.source === 'string') by = current.source;
      returned = current(take);
      if (isThenable(returned)) void Promise.resolve(returned).catch(() => take(false));
    } catch {
      take(false);
    }
    // The source itself may have ended what it decides for, or passed another source.
    if (isClosed || call !== listening) return tryToCall(returned);
    unsubscribe = returned;
    if (!hasDecided) say(undefined);
  }

  function closeSource(): void {
    const before = unsubscribe;
    unsubscribe = listening = undefined;
    tryToCall(before);
  }

  function set(value: unknown, by: string): void {
    if (isClosed) return;
    const option = first;
    // What was passed to an earlier mount here may still decide, whatever the option of this one is.
    const asked = (newest = (option && newest) ?? {});
    if (typeof value === 'function') return listen(value as ConsentSource);
    decide(value, by, option);
    if (!isThenable(value)) return;
    const settle = (isGiven: unknown): void => {
      if (asked === newest) decide(decisionIn(isGiven) === true, by, option);
    };
    // Its `then` may throw, or call back twice.
    void Promise.resolve(value).then(settle, () => settle(false));
  }

  add({ isGiven: true, by: 'default', option: 'first', place: undefined });
  if (!place) [latest] = log.entries;
  log.listeners.add(hear);

  return {
    log,
    get latest() {
      return latest;
    },
    begin(options, heard, page) {
      listener = heard;
      log = page?.log ?? log;
      log.listeners.add(hear);
      leave();
      const before = isClosed ? undefined : latest;
      latest = undefined;
      isClosed = false;
      first = 'first';
      const { isGiven, scope, option } = readConsent(log.entries, place);
      // What was decided before holds if the page has denied, or the option leaves it open.
      const isOpen = [undefined, null, 'required'].includes(options.consent as null);
      const isSaid = !option && (isOpen || (isGiven === false && scope === 'origin'));
      // Only an option that is absent means the default.
      if (!isSaid && 'consent' in options) set(options.consent, 'option');
      else if (!isSaid && hasPrivacySignal()) add({ isGiven: false, by: 'Global Privacy Control', option: first });
      first = undefined;
      update(before);
    },
    set,
    withdraw() {
      if (!isClosed) add({ isGiven: false, by: 'elsewhere', scope: 'elsewhere', place: undefined });
    },
    closeSource,
    close() {
      isClosed = true;
      log.listeners.delete(hear);
      listener = undefined;
      leave();
      closeSource();
    },
  };
}

/** Only `true` and `granted` give consent, and only `false` and `denied` deny it. */
function decisionIn(value: unknown): boolean | undefined {
  return value === true || value === 'granted' ? true : value === false || value === 'denied' ? false : undefined;
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  try {
    return typeof (Object(value) as { then?: unknown }).then === 'function';
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
