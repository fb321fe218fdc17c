import type { ConsentSource } from '../session/consent.ts';
import { listenerSource, type Listen } from './listenerSource.ts';

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
  readonly vendor?: Choices;
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
 * Decides by the purposes of IAB Europe's Transparency and Consent Framework, version 2: yes once the shopper has agreed to
 * all of them, for the vendor as well if one is named, or if GDPR does not apply. While the shopper is being asked, there
 * is no decision. Without purposes it is no.
 */
export function tcf({ purposes, vendor, legitimateInterests = [] }: TcfOptions): ConsentSource {
  const all = [...purposes, ...legitimateInterests];
  const bases = { consents: purposes, legitimateInterests };

  function isAgreed(data: TcData): boolean {
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
  return listenerSource(`tcf(${name.filter(Boolean).join(', ')})`, find, (data) => {
    const { eventStatus, gdprApplies } = data;
    if (all.length === 0) return false;
    if (gdprApplies === false) return true;
    return eventStatus === 'tcloaded' || eventStatus === 'useractioncomplete' ? isAgreed(data) : undefined;
  });
}

/** Finds the platform of this page, or of a page around this frame. */
function find(): Listen<TcData> | undefined {
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
