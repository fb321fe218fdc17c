import { openCore, type Core, type CoreOptions } from './openCore.ts';
import { openNotes, type Notes } from './rows/openNotes.ts';
import { openRows } from './rows/openRows.ts';
import { openChannel, withdrawConsent } from './withdrawConsent.ts';

/** Milliseconds until what earlier pages have left is sent: by then the offers of this page are usually on it. */
const START_MS = 500;

/** The queue of a page that shows offers. */
export interface PageQueue extends Core {
  /** Small values stored beside the events. */
  readonly notes: Notes;
  /**
   * Withdraws consent: nothing more is written or sent, the queues and notes of this origin are emptied, other tabs are notified.
   * Resolves when nothing is left on disk.
   */
  withdraw(): Promise<unknown>;
}

/** Options of `openPageQueue`. */
export type PageQueueOptions = Omit<CoreOptions, 'onBack'>;

/** Opens the queue of a page, which also stores the page's notes and stops when consent is withdrawn in another tab. */
export function openPageQueue({ onWithdrawn, ...options }: PageQueueOptions): PageQueue {
  const core = openCore(openRows, {
    ...options,
    startMs: START_MS,
    onBack: () => notes.restore(),
    onWithdrawn() {
      end();
      onWithdrawn?.();
    },
  });
  const notes = openNotes(core.rows.run);
  const channel = openChannel();
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
      return withdrawConsent(options.endpoint);
    },
    close() {
      channel?.close();
      return core.close();
    },
  };
}
