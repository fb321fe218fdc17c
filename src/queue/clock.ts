import { TIME_HEADER } from '../wire/parseDatetime.ts';

/** Milliseconds by which the device's clock may run ahead of the page's own: more means that the device slept, or was set. */
const DRIFT_MAX_MS = 30_000;

/** The time at which something happens. */
export interface Stamp {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Whether it is the relay's time. Otherwise it is the device's, and the relay corrects it when it is sent. */
  readonly isTrue: boolean;
}

/** The clock that events are stamped by. */
export interface Clock {
  now(): Stamp;
  /** Reads the relay's time in a response, where there is one. */
  read(response: unknown): void;
}

/**
 * Opens a clock. After a response of the relay it shows the relay's time, as counted by the page itself: setting the device's
 * clock does not change that. When the device's clock has run ahead of the page's, the device may have slept: then the clock
 * shows the device's time until the next response.
 */
export function openClock(): Clock {
  let anchor: { readonly relay: number; readonly device: number; readonly page: number } | undefined;
  return {
    now() {
      const device = Date.now();
      if (!anchor) return { at: device, isTrue: false };
      const passed = performance.now() - anchor.page;
      if (device - anchor.device - passed <= DRIFT_MAX_MS)
        return { at: Math.round(anchor.relay + passed), isTrue: true };
      anchor = undefined;
      return { at: device, isTrue: false };
    },
    read(response) {
      const headers = (response as Partial<Response> | undefined)?.headers;
      const relay = Number(headers?.get?.(TIME_HEADER) ?? Number.NaN);
      if (relay > 1e12 && relay < 1e13) anchor = { relay, device: Date.now(), page: performance.now() };
    },
  };
}
