import { openCore, type Core, type CoreOptions } from './openCore.ts';
import { openNotes, type Notes } from './rows/openNotes.ts';
import { openRows } from './rows/openRows.ts';
import { openChannel, withdrawConsent } from './withdrawal.ts';

/** Milliseconds until what earlier pages have left is sent: by then the offers of this page are usually on it. */
const START_MS = 500;

/** The queue of a session, which also stores its notes, and knows of consent. */
export interface SessionQueue extends Core {
  /** Small values stored beside the events. */
  readonly notes: Notes;
  /**
   * Withdraws consent: nothing more is written or sent, the queues and notes of this origin are emptied, other tabs are
   * notified. Resolves when nothing is left on disk.
   */
  withdraw(): Promise<unknown>;
}

/** Options of `openSessionQueue`. */
export type SessionQueueOptions = Omit<CoreOptions, 'onBack' | 'onEnd'>;

/** Opens the queue of a session, which stops when consent is withdrawn in another tab. */
export function openSessionQueue({ onWithdrawn, ...options }: SessionQueueOptions): SessionQueue {
  const core = openCore(openRows, {
    ...options,
    startMs: START_MS,
    onBack: () => notes.restore(),
    onWithdrawn() {
      end();
      onWithdrawn?.();
    },
    onEnd: () => channel?.close(),
  });
  const notes = openNotes(core.rows.run);
  const channel = openChannel();
  // Even after it was closed, as long as something is to be written or sent.
  channel?.addEventListener('message', core.rows.withdrawn);

  function end(): void {
    notes.forget();
    channel?.close();
  }

  return {
    ...core,
    notes,
    withdraw() {
      end();
      core.stop();
      // On the connection that is open, in this task: the page may be gone in the next.
      const cleared = core.rows.clear();
      return Promise.all([withdrawConsent(options.endpoint, true), cleared]);
    },
  };
}
