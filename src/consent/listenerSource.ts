import type { ConsentSource } from '../session/consent.ts';

/** A platform that calls back with events: at once, for the decision that stands, and after each change. */
export type Listen<Event> = (
  command: 'addEventListener' | 'removeEventListener',
  callBack: (event: Event | null, isSuccess: boolean) => void,
  listenerId?: number,
) => void;

/** Milliseconds between looks for a consent platform that has not loaded yet. */
const POLL_MS = 250;

/**
 * Returns a source that waits for one of IAB's platforms and listens to its events. `read` returns undefined for an event
 * that decides nothing.
 */
export function listenerSource<Event extends { readonly listenerId?: number }>(
  name: string,
  find: () => Listen<Event> | undefined,
  read: (event: Event) => boolean | undefined,
): ConsentSource {
  const source: ConsentSource = (decide) => {
    let listen: Listen<Event> | undefined;
    let listenerId: number | undefined;
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;

    function stop(): void {
      isOver = true;
      clearTimeout(timer);
      if (listenerId !== undefined) listen?.('removeEventListener', () => {}, listenerId);
    }

    function start(): void {
      listen = find();
      if (!listen) return void (timer = setTimeout(start, POLL_MS));
      listen('addEventListener', (event, isSuccess) => {
        if (!isSuccess || !event) return;
        ({ listenerId } = event);
        // The first call may come after the end.
        if (isOver) return stop();
        const given = read(event);
        if (given !== undefined) decide(given);
      });
    }

    start();
    return stop;
  };
  return Object.assign(source, { source: name });
}
