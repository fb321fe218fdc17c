/**
 * Decides on consent, now or later, once or repeatedly. It is called once. If it returns a function, that is called
 * when the session ends.
 */
export interface ConsentSource {
  (decide: (decision: ConsentValue) => void): void | (() => void);
  /** What it is called in `explain()` and in the inspector. */
  readonly source?: string;
}

/** A decision on consent. `required`, `null` and `undefined` mean that there is none yet. */
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

/** What is known of the shopper's decision. Nothing is requested, stored or sent unless it is `given`. */
export type ConsentState = 'undecided' | 'given' | 'denied';

/** Reports about the shopper's decision. `withdrawn`: consent was withdrawn in another tab, or by another mount. */
export type ConsentInput = 'yes' | 'no' | 'unclear' | 'withdrawn';

/** All transitions. Only `true` gives consent. `false`, a source that throws, and a rejected promise deny it. */
export const CONSENT_TRANSITIONS: Readonly<Record<ConsentState, Readonly<Record<ConsentInput, ConsentState>>>> = {
  // What another tab withdraws was never given here.
  undecided: { yes: 'given', no: 'denied', unclear: 'undecided', withdrawn: 'undecided' },
  given: { yes: 'given', no: 'denied', unclear: 'undecided', withdrawn: 'denied' },
  // Denied consent holds until it is given.
  denied: { yes: 'given', no: 'denied', unclear: 'denied', withdrawn: 'denied' },
};

/** A change of the state. */
export interface ConsentChange {
  readonly state: ConsentState;
  readonly before: ConsentState;
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

/** The consent of one mount, or of a whole page. The latest decision takes precedence, from any source. */
export interface Consent {
  readonly state: ConsentState;
  /** The latest decision; undefined while there is none. */
  readonly decision: ConsentDecision | undefined;
  /** Whether anybody has been asked for a decision or has made one: then mounts do not use their default. */
  readonly isAsked: boolean;
  /** Whether consent was withdrawn elsewhere, where what is stored is cleared as well. */
  readonly isElsewhere: boolean;
  /** Calls back after each decision, even one that changes nothing. Returns a function that ends that. */
  subscribe(listener: (change: ConsentChange) => void): () => void;
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

/** Where mounts follow one another, such as an element. A denial that no option has made holds for the next one. */
export interface ConsentPlace {
  isDenied?: boolean;
}

/** Opens a consent. That of a page begins as `given` without having been asked: then each mount has its own. */
export function openConsent(state: ConsentState = 'undecided'): Consent {
  const listeners = new Set<(change: ConsentChange) => void>();
  let decision: ConsentDecision | undefined;
  let isAsked = false;
  let isElsewhere = false;
  let isClosed = false;
  /** Counts decisions and whatever is passed: a promise that something newer has overtaken is ignored. */
  let turn = 0;
  /** Tells the current source from those that it has replaced, even from an earlier call of the same function. */
  let listening: object | undefined;
  let unsubscribe: unknown;
  let unfollow: (() => void) | undefined;
  let place: ConsentPlace = {};

  function hear(input: ConsentInput, by: string, isFromElsewhere = input === 'withdrawn'): void {
    if (isClosed) return;
    const before = state;
    state = CONSENT_TRANSITIONS[before][input];
    isAsked ||= input !== 'withdrawn';
    if (input === 'yes' || input === 'no' || state !== before) turn++;
    // A page begins as given without a decision.
    if (state !== before || (input === 'yes' && !decision)) {
      isElsewhere = isFromElsewhere;
      decision = state === 'undecided' ? undefined : { isGiven: state === 'given', by, at: new Date().toISOString() };
      place.isDenied = state === 'denied' && (isFromElsewhere || by === 'consent()');
    }
    for (const listener of listeners) listener({ state, before });
  }

  /** Follows a source instead of the one before. Until it decides, there is no decision. */
  function listen(current: ConsentSource): void {
    closeSource();
    const call = (listening = {});
    let by = 'function';
    let returned: unknown;
    let hasDecided = false;
    const decide = (value: unknown): void => {
      hasDecided = true;
      if (call === listening) hear(inputOf(value), by);
    };
    try {
      if (typeof current.source === 'string') by = current.source;
      returned = current(decide);
      if (isThenable(returned)) void Promise.resolve(returned).catch(() => decide(false));
    } catch {
      decide(false);
    }
    // The source itself may have ended what it decides for, or passed another source.
    if (isClosed || call !== listening) return tryToCall(returned);
    unsubscribe = returned;
    if (!hasDecided) hear('unclear', by);
  }

  function closeSource(): void {
    const before = unsubscribe;
    unsubscribe = listening = undefined;
    tryToCall(before);
  }

  function set(value: unknown, by: string): void {
    if (isClosed) return;
    turn++;
    if (typeof value === 'function') return listen(value as ConsentSource);
    hear(inputOf(value), by);
    if (!isThenable(value)) return;
    const asked = turn;
    const decide = (isGiven: unknown): void => {
      if (asked === turn) hear(inputOf(isGiven) === 'yes' ? 'yes' : 'no', by);
    };
    // Its `then` may throw, or call back twice.
    void Promise.resolve(value).then(decide, () => decide(false));
  }

  function follow(page: Consent, isBeginning?: boolean): void {
    const no = page.isElsewhere && !isBeginning ? 'withdrawn' : 'no';
    const input = page.state === 'given' ? 'yes' : page.state === 'denied' ? no : 'unclear';
    hear(input, page.decision?.by ?? 'consent()', page.isElsewhere);
    // The page remembers by itself.
    place.isDenied = false;
  }

  return {
    get state() {
      return state;
    },
    get decision() {
      return decision;
    },
    get isAsked() {
      return isAsked;
    },
    get isElsewhere() {
      return isElsewhere;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    begin(options, { page, place: at = place } = {}) {
      place = at;
      const hasOption = 'consent' in options;
      const option: unknown = hasOption ? options.consent : undefined;
      const isOpen = option == null || option === 'required';
      // A denial by the page holds for every mount, its consent for mounts without their own decision.
      if (page && (page.state === 'denied' || (isOpen && page.isAsked))) follow(page, true);
      else if (place.isDenied) hear('no', 'elsewhere', true);
      // Only an option that is absent means the default.
      else if (hasOption) set(option, 'option');
      else if (hasPrivacySignal()) hear('no', 'Global Privacy Control');
      else hear('yes', 'default');
      unfollow = page?.subscribe(() => follow(page));
    },
    set,
    withdraw: () => hear('withdrawn', 'elsewhere'),
    closeSource,
    close() {
      isClosed = true;
      unfollow?.();
      listeners.clear();
      closeSource();
    },
  };
}

/** Only `true` and `granted` give consent, and only `false` and `denied` deny it. */
function inputOf(value: unknown): ConsentInput {
  return value === true || value === 'granted' ? 'yes' : value === false || value === 'denied' ? 'no' : 'unclear';
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
