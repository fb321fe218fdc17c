import { cutTo, type Terminal } from './terminal.ts';

/** Shows what a command waits for, once it takes long. */
export interface Progress {
  /** Says what is being done; after `end`, from anew. */
  step(text: string): void;
  /** Removes the line. */
  end(): void;
}

/** Milliseconds before the first word about progress; without a terminal, longer: most commands are done by then. */
const QUIET_MS = 1_000;
const QUIET_LOG_MS = 3_000;
/** Milliseconds between two lines in a log. */
const LOG_EVERY_MS = 5_000;
const CLEAR = '\r\u001B[K';

/** Creates a progress line on stderr. */
export function createProgress(terminal: Terminal): Progress {
  let text = '';
  let isShown = false;
  let isEnded = false;
  let logged = '';
  const show = (): void => {
    if (isEnded || text === '') return;
    if (text === logged) return;
    logged = text;
    if (!terminal.isLive) return terminal.note(text);
    // A line that wraps could not be cleared.
    terminal.raw(CLEAR + cutTo(text, terminal.noteWidth - 1));
    isShown = true;
  };
  let first: NodeJS.Timeout | undefined;
  let repeat: NodeJS.Timeout | undefined;
  const begin = (): void => {
    isEnded = false;
    first = setTimeout(
      () => {
        show();
        repeat = setInterval(show, terminal.isLive ? 200 : LOG_EVERY_MS);
        repeat.unref();
      },
      terminal.isLive ? QUIET_MS : QUIET_LOG_MS,
    );
    first.unref();
  };
  begin();
  return {
    step(next) {
      text = next;
      if (isEnded) begin();
    },
    end() {
      isEnded = true;
      clearTimeout(first);
      clearInterval(repeat);
      if (isShown) terminal.raw(CLEAR);
      isShown = false;
    },
  };
}
