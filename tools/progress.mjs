// Says which of several steps runs: on a terminal in one line that is overwritten, elsewhere in one line for each step.
// On stderr, because `npm pack --json` writes to stdout.
const out = process.stderr;

/** Starts a series of `total` steps. `step` begins the next one; `note` says how far it is; `end` says how long all took. */
export function createProgress(title, total) {
  const started = performance.now();
  let done = 0;
  let current = '';
  let timer;
  const seconds = () => Math.round((performance.now() - started) / 1_000);
  const draw = (note) => {
    if (out.isTTY) out.write(`\r\x1b[K${current}${note === undefined ? '' : `: ${note}`} (${seconds()} s)`);
  };
  return {
    step(name, readNote = () => undefined) {
      clearInterval(timer);
      done++;
      current = `${title} ${total > 1 ? `${done} of ${total}: ` : ''}${name}`;
      if (!out.isTTY) out.write(`${current}\n`);
      draw(readNote());
      timer = setInterval(() => draw(readNote()), 500);
      timer.unref();
    },
    end(text) {
      clearInterval(timer);
      out.write(`${out.isTTY ? '\r\x1b[K' : ''}${text} in ${seconds()} s\n`);
    },
    /** Leaves the line as it is, so that an error does not overwrite it. */
    fail() {
      clearInterval(timer);
      if (out.isTTY) out.write('\n');
    },
  };
}
