import type { ConsentSource } from '../session/consent.ts';

// The frameworks of the IAB, which many consent platforms speak.

/** A platform that calls back with events: at once, for the current decision, and after each change. */
type Listen<Event> = (
  command: 'addEventListener' | 'removeEventListener',
  callBack: (event: Event | null, isSuccess: boolean) => void,
  listenerId?: number,
) => void;

/** Milliseconds between polls for a consent platform that has not loaded yet. */
const POLL_MS = 250;

/**
 * Returns a source that waits for one of IAB's platforms and listens to its events. `read` returns undefined for an event
 * that decides nothing.
 */
function listenerSource<Event extends { readonly listenerId?: number }>(
  name: string,
  find: () => Listen<Event> | undefined,
  read: (event: Event) => boolean | undefined,
): ConsentSource {
  const source: ConsentSource = (decide) => {
    let listen: Listen<Event> | undefined;
    let listenerId: number | undefined;
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;

    /** A platform that throws has denied consent, whenever it does. */
    function guard(call: () => void): void {
      try {
        call();
      } catch {
        if (!isOver) decide(false);
      }
    }

    function stop(): void {
      isOver = true;
      clearTimeout(timer);
      guard(() => listenerId !== undefined && listen?.('removeEventListener', () => {}, listenerId));
    }

    function start(): void {
      listen = find();
      if (!listen) return void (timer = setTimeout(() => guard(start), POLL_MS));
      listen('addEventListener', (event, isSuccess) => {
        if (!isSuccess || !event) return;
        ({ listenerId } = event);
        // The first call may come after the end.
        if (isOver) return stop();
        guard(() => {
          const given = read(event);
          if (given !== undefined) decide(given);
        });
      });
    }

    guard(start);
    return stop;
  };
  return Object.assign(source, { source: name });
}

/** What the shopper must have agreed to. */
export interface TcfOptions {
  /** Numbers of the framework's purposes that need consent. Storing anything on the device is purpose 1. */
  readonly purposes: readonly number[];
  /** The number of the network in the framework's list of vendors. Without it, vendors are not looked at. */
  readonly vendor?: number | undefined;
  /** Purposes for which a legitimate interest is enough that the shopper has not objected to. In both lists: either is enough. */
  readonly legitimateInterests?: readonly number[] | undefined;
}

/** What the shopper allows, by the number of a purpose or of a vendor. */
interface Choices {
  readonly consents?: Readonly<Record<string, boolean | undefined>>;
  readonly legitimateInterests?: Readonly<Record<string, boolean | undefined>>;
}

/** What a consent platform reports, as far as it is read. */
interface TcData {
  readonly eventStatus?: string;
  readonly gdprApplies?: boolean;
  readonly listenerId?: number;
  readonly purpose?: Choices;
  /** Since version 2.3 with the vendors that the shopper was shown. */
  readonly vendor?: Choices & { readonly disclosedVendors?: Readonly<Record<string, boolean | undefined>> };
  readonly publisher?: {
    /** By purpose and vendor; see `REQUIRES`. */
    readonly restrictions?: Readonly<Record<string, Readonly<Record<string, number | undefined>> | undefined>>;
  };
}

/** What a page calls, and a frame's messages amount to. */
type Tcfapi = (command: string, version: 2, callBack: CallBack, parameter?: number) => void;
type CallBack = Parameters<Listen<TcData>>[1];

/** The legal bases, and the restriction of a publisher that demands them. Any other restriction forbids the purpose. */
const REQUIRES = { consents: 1, legitimateInterests: 2 } as const;

/**
 * Decides by the purposes of IAB Europe's Transparency and Consent Framework, version 2. Consent is given once the
 * shopper has agreed to all of them, for the vendor as well if one is named and it was disclosed, or if GDPR does not apply. There is no
 * decision while the dialog is open. Without purposes, consent is denied.
 */
export function tcf({ purposes, vendor, legitimateInterests = [] }: TcfOptions): ConsentSource {
  const all = [...purposes, ...legitimateInterests];
  const bases = { consents: purposes, legitimateInterests };

  function isAgreed(data: TcData): boolean {
    // Strings of earlier versions have no list, or an empty one.
    const disclosed = data.vendor?.disclosedVendors ?? {};
    if (vendor !== undefined && Object.keys(disclosed).length > 0 && disclosed[vendor] !== true) return false;
    const isOn = (purpose: number, basis: keyof typeof REQUIRES): boolean => {
      const restriction = vendor === undefined ? undefined : data.publisher?.restrictions?.[purpose]?.[vendor];
      return (
        bases[basis].includes(purpose) &&
        (restriction === undefined || restriction === REQUIRES[basis]) &&
        data.purpose?.[basis]?.[purpose] === true &&
        (vendor === undefined || data.vendor?.[basis]?.[vendor] === true)
      );
    };
    return all.every((purpose) => isOn(purpose, 'consents') || isOn(purpose, 'legitimateInterests'));
  }

  const name = [
    purposes.join(),
    legitimateInterests.length > 0 && `legitimate interests ${legitimateInterests.join()}`,
    vendor !== undefined && `vendor ${vendor}`,
  ];
  return listenerSource(`tcf(${name.filter(Boolean).join(', ')})`, findTcf, (data) => {
    const { eventStatus, gdprApplies } = data;
    if (all.length === 0) return false;
    if (gdprApplies === false) return true;
    return eventStatus === 'tcloaded' || eventStatus === 'useractioncomplete' ? isAgreed(data) : undefined;
  });
}

/** Finds the TCF platform of this page, or of a page around this frame. */
function findTcf(): Listen<TcData> | undefined {
  const { __tcfapi: api } = globalThis as { __tcfapi?: Tcfapi };
  if (api) return (command, callBack, listenerId) => api(command, 2, callBack, listenerId);
  for (let page = globalThis.window as Window | undefined; page && page !== page.parent;) {
    page = page.parent;
    try {
      // Of a page of another origin, a frame can be read by its name, but not looked for with `in`.
      if ((page.frames as { __tcfapiLocator?: unknown }).__tcfapiLocator) return listenThrough(page);
    } catch {
      // Such a page has no frame of that name.
    }
  }
  return undefined;
}

interface FrameReturn {
  readonly callId?: unknown;
  readonly returnValue?: TcData | null;
  readonly success?: unknown;
}

/** Calls the platform of another page by messages. Each call has an id, which its responses repeat. */
function listenThrough(page: Window): Listen<TcData> {
  const callBacks = new Map<unknown, CallBack>();

  function hear({ source, data }: MessageEvent<unknown>): void {
    // Any other frame could say that the shopper has agreed.
    if (source !== page) return;
    try {
      const message: unknown = typeof data === 'string' ? JSON.parse(data) : data;
      const { callId, returnValue, success } = (message as { __tcfapiReturn: FrameReturn }).__tcfapiReturn;
      callBacks.get(callId)?.(returnValue ?? null, success === true);
    } catch {
      // It is not for us.
    }
  }

  addEventListener('message', hear);
  return (command, callBack, parameter) => {
    const callId = `${Math.random()}`;
    callBacks.set(callId, callBack);
    page.postMessage({ __tcfapiCall: { command, version: 2, parameter, callId } }, '*');
    if (command === 'removeEventListener') removeEventListener('message', hear);
  };
}

/** A section of a US state or of the national approach, decoded. Its segments may be listed. */
type Section = Readonly<Record<string, unknown>>;

/** What a consent platform reports, as far as it is read. */
interface GppPing {
  readonly signalStatus?: string;
  /** Numbers of the sections that apply to the shopper; -1: none does. */
  readonly applicableSections?: readonly number[];
  readonly parsedSections?: Readonly<Record<string, Section | readonly Section[] | undefined>>;
}

interface GppEvent {
  readonly listenerId?: number;
  readonly pingData?: GppPing;
}

/** The sections of the United States, by their numbers from 7 on. */
const SECTIONS = /* @__PURE__ */ 'nat ca va co ut ct fl mt or tx de ia ne nh nj tn mn md in ky ri'.split(' ');

/**
 * Decides by the sections of the United States in IAB Tech Lab's Global Privacy Platform. Consent is given if the
 * shopper has not opted out of the sale and sharing of data, or if no section applies. A section outside the United
 * States denies it, and so does an unknown value.
 */
export function gpp(): ConsentSource {
  const find = (): Listen<GppEvent> | undefined => (globalThis as { __gpp?: Listen<GppEvent> }).__gpp;
  return listenerSource('gpp', find, ({ pingData }) => {
    const { signalStatus, applicableSections: sections = [], parsedSections = {} } = pingData ?? {};
    if (signalStatus !== 'ready') return undefined;
    const mayBeSold = (id: number): boolean => isSaleAllowed(parsedSections[`us${SECTIONS[id - 7]}`]);
    return sections.length > 0 && (sections.every((id) => id === -1) || sections.every(mayBeSold));
  });
}

/** Whether data may be sold and shared. 1: opted out; 2: did not; 0: the business does not do it. */
function isSaleAllowed(parsed: Section | readonly Section[] | undefined): boolean {
  const section = Object.assign({}, ...[parsed].flat()) as Section;
  const { SaleOptOut, SharingOptOut = 0, TargetedAdvertisingOptOut = 0, Gpc = false } = section;
  const others = [SharingOptOut, TargetedAdvertisingOptOut];
  return SaleOptOut === 2 && others.every((value) => value === 0 || value === 2) && Gpc === false;
}
