import { describeHolder, parseHolder, readHolderState, thisHolder } from './lockFiles.ts';
import { keepTouching } from './lockFiles.ts';
import { systemErrorCode, lockFiles, NUMBER_MAX, type LockFiles } from './lockFiles.ts';

export interface LockOptions {
  /** The lock files are called `NAME.lock.1`, `NAME.lock.2`, … */
  readonly name: string;
  /** Gets one line when the lock has to be waited for; written to stderr by default. */
  readonly say?: ((line: string) => void) | undefined;
}

/** A directory that belongs to this process. */
export interface DirectoryLock {
  /**
   * Throws a `LockLostError` once another process has taken the directory over, or it was removed. Reads the directory itself when the
   * last check is a second old. A process that was frozen thus detects its loss before it does anything.
   */
  check(): void;
  /** Like `check`, but always reads the directory: for actions that would destroy the files of a new owner. */
  verify(): void;
  /** Resolves with the reason at that moment. Stays pending otherwise. */
  readonly lost: Promise<LockLostError>;
  /** Gives the directory back: the next process gets it without waiting. */
  release(): Promise<void>;
}

/** The directory belongs to another process, which runs. */
export class DirectoryInUseError extends Error {
  override name = 'DirectoryInUseError';
}

/** Another process took the directory over while this one held it, or somebody removed it. */
export class LockLostError extends Error {
  override name = 'LockLostError';
}

/** Milliseconds between two heartbeats. */
const BEAT_MS = 1_000;
/** Milliseconds for which a check of the directory is valid. */
const LOOK_MS = 1_000;
/** Milliseconds for which the directory may be unreadable: nobody can have taken it over in this time. */
const BLIND_MS = 3_000;
/** Milliseconds without a heartbeat after which an owner that cannot be seen from here is considered dead. */
const SILENCE_MS = 5_000;
const POLL_MS = 200;

/**
 * Locks a directory for this process. Throws a `DirectoryInUseError` when another process holds it.
 *
 * Each owner has a numbered file, and the highest number owns the directory. A new owner creates the next number
 * exclusively, so two processes that find the same dead owner cannot both succeed. The highest file is never deleted,
 * not even at release: numbers only grow, and a slow process cannot take a new owner for the one that it judged.
 */
export async function lockDirectory(directory: string, options: LockOptions): Promise<DirectoryLock> {
  const files = lockFiles(directory, options.name);
  for (;;) {
    const current = (await files.numbers()).at(-1) ?? 0;
    const owner = current === 0 ? undefined : await findOwner(current, { files, directory, say: options.say });
    if (owner !== undefined) throw new DirectoryInUseError(`${directory} is in use by ${owner}`);
    const number = current + 1;
    if (number > NUMBER_MAX)
      throw new DirectoryInUseError(
        `${directory} has the lock file ${options.name}.lock.${current}, which no other can follow. If no process uses the directory, delete that file`,
      );
    if (!(await files.create(number, JSON.stringify(thisHolder())))) continue;
    const numbers = await files.numbers();
    if (numbers.at(-1) === number) {
      for (const lower of numbers.slice(0, -1)) await files.remove(lower);
      return hold(number, files, directory);
    }
    // Others have used and deleted this number since: one of them owns the directory, or did.
    await files.remove(number);
  }
}

/** Who owns the directory by the file with this number; `undefined` when nobody does any more. */
async function findOwner(
  number: number,
  { files, directory, say = sayOnStderr }: { files: LockFiles; directory: string; say: LockOptions['say'] },
): Promise<string | undefined> {
  const first = await files.look(number);
  const started = performance.now();
  let isSaid = false;
  for (let look = first; look !== undefined && !look.isReleased; look = await files.look(number)) {
    const holder = parseHolder(look.text);
    const state = holder ? readHolderState(holder) : 'unknown';
    if (state === 'gone') return undefined;
    if (state === 'alive' || look.touchedAt !== first?.touchedAt) return describeHolder(holder);
    if (performance.now() - started >= SILENCE_MS) return undefined;
    // A file that is being created is empty for an instant, which is not worth a line.
    if (look !== first && !isSaid) {
      say(
        `${directory} is locked by ${describeHolder(holder)}, which cannot be seen from here. Waiting up to ${SILENCE_MS / 1_000} seconds for a sign of life.`,
      );
      isSaid = true;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return undefined;
}

function hold(number: number, files: LockFiles, directory: string): DirectoryLock {
  let isReleased = false;
  let loss: LockLostError | undefined;
  let announce: (loss: LockLostError) => void = () => undefined;
  const lost = new Promise<LockLostError>((resolve) => (announce = resolve));
  let looked = readClocks();
  // A main thread that is busy for seconds sends no heartbeat, so a separate thread does.
  const stopTouching = keepTouching(files.pathOf(number), BEAT_MS);
  const timer = setInterval(() => void beat(), BEAT_MS);
  timer.unref();

  async function beat(): Promise<void> {
    await files.touch(number).catch(() => undefined);
    try {
      if (!isReleased) look();
    } catch {
      // `lost` reports a takeover; an unreadable directory concerns only callers that want to write.
    }
  }

  function look(): void {
    if (loss) throw loss;
    const now = readClocks();
    let highest = 0;
    try {
      highest = files.highest() ?? 0;
      if (highest === number) {
        looked = now;
        return;
      }
    } catch (error) {
      // A disk that fails for a moment takes nothing away; a directory that is gone does.
      if (systemErrorCode(error) !== 'ENOENT') {
        if (sinceThen(looked, now) < BLIND_MS) return;
        throw error;
      }
    }
    clearInterval(timer);
    void stopTouching();
    loss = new LockLostError(
      highest > number
        ? `${directory} was taken over by another process while this one gave no sign of life. Restart this one with another directory.`
        : `${directory} was removed, or its files were, while this process used it. Restart this process, and leave its directory alone.`,
    );
    announce(loss);
    throw loss;
  }

  return {
    check() {
      if (loss) throw loss;
      if (!isReleased && sinceThen(looked, readClocks()) >= LOOK_MS) look();
    },
    verify() {
      if (!isReleased) look();
    },
    lost,
    async release() {
      clearInterval(timer);
      if (isReleased || loss) return;
      isReleased = true;
      await stopTouching();
      await files.release(number).catch(() => undefined);
    },
  };
}

interface Clocks {
  readonly steady: number;
  readonly wall: number;
}

function readClocks(): Clocks {
  return { steady: performance.now(), wall: Date.now() };
}

/** Milliseconds between two readings: the steady clock may stand still while a machine sleeps, the other may be set. */
function sinceThen(then: Clocks, now: Clocks): number {
  return Math.max(now.steady - then.steady, Math.abs(now.wall - then.wall));
}

function sayOnStderr(line: string): void {
  process.stderr.write(`offerlet: ${line}\n`);
}
