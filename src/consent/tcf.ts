import type { ConsentSource } from '../session/consent.ts';

/** What the shopper must have agreed to. */
export interface TcfOptions {
  /** Numbers of the framework's purposes. Storing anything on the device is purpose 1. */
  readonly purposes: readonly number[];
}

/** What a consent platform reports, as far as it is read. */
interface TcData {
  readonly eventStatus?: string;
  readonly gdprApplies?: boolean;
  readonly listenerId?: number;
  readonly purpose?: { readonly consents?: Readonly<Record<string, boolean | undefined>> };
}

type Tcfapi = (
  command: string,
  version: 2,
  callBack: (data: TcData | null, isSuccess: boolean) => void,
  id?: number,
) => void;

/** Milliseconds between looks for a consent platform that has not loaded yet. */
const POLL_MS = 250;

/**
 * Decides by the purposes of IAB Europe's Transparency and Consent Framework, version 2: yes once the shopper has consented to
 * all of them, or if GDPR does not apply. While the shopper is being asked, there is no decision. Without purposes it is no.
 */
export function tcf({ purposes }: TcfOptions): ConsentSource {
  const source: ConsentSource = (decide) => {
    const page = globalThis as { __tcfapi?: Tcfapi };
    let listenerId: number | undefined;
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;

    function stop(): void {
      isOver = true;
      clearTimeout(timer);
      if (listenerId !== undefined) page.__tcfapi?.('removeEventListener', 2, () => {}, listenerId);
    }

    function start(): void {
      if (!page.__tcfapi) return void (timer = setTimeout(start, POLL_MS));
      page.__tcfapi('addEventListener', 2, (data, isSuccess) => {
        if (!isSuccess || !data) return;
        ({ listenerId } = data);
        // The first call may come after the end.
        if (isOver) return stop();
        const { eventStatus, gdprApplies, purpose } = data;
        if (!purposes.length) decide(false);
        else if (gdprApplies === false) decide(true);
        else if (eventStatus === 'tcloaded' || eventStatus === 'useractioncomplete')
          decide(purposes.every((number) => purpose?.consents?.[number] === true));
      });
    }

    start();
    return stop;
  };
  return Object.assign(source, { source: `tcf(${purposes.join()})` });
}
