/** How long work waits, and how much of it runs together. */
export interface GroupLimits {
  /** Milliseconds that work waits at most while another group of its name runs. */
  readonly waitMs: number;
  /** The total size at which the waiting work starts at once. */
  readonly size: number;
}

/** A piece of work that has not started. */
interface Waiting<Work, Result> {
  readonly work: Work;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** The work of one name: what runs, and what waits. */
interface Line<Work, Result> {
  running: number;
  waiting: Waiting<Work, Result>[];
  /** The total size of what waits. */
  size: number;
  /** Cancels the start that is planned. */
  cancel: (() => void) | undefined;
}

/**
 * Runs work of the same name in groups: work that arrives while a group runs becomes the next group. So the busier a name,
 * the larger its groups, and work that arrives alone starts at once. `run` returns one result per work.
 */
export function createGroups<Work, Result>(
  run: (name: string, works: readonly Work[]) => Promise<readonly Result[]>,
  limits: GroupLimits,
): (name: string, work: Work, size: number) => Promise<Result> {
  const lines = new Map<string, Line<Work, Result>>();

  function start(name: string, line: Line<Work, Result>): void {
    line.cancel?.();
    line.cancel = undefined;
    const group = line.waiting;
    if (group.length === 0) return;
    line.waiting = [];
    line.size = 0;
    line.running += 1;
    const works = group.map(({ work }) => work);
    run(name, works).then(
      (results) => {
        end(name, line);
        for (const [index, waiting] of group.entries()) waiting.resolve(results[index] as Result);
      },
      (error: unknown) => {
        end(name, line);
        for (const waiting of group) waiting.reject(error);
      },
    );
  }

  function end(name: string, line: Line<Work, Result>): void {
    line.running -= 1;
    if (line.waiting.length > 0) start(name, line);
    else if (line.running === 0) lines.delete(name);
  }

  return (name, work, size) => {
    let line = lines.get(name);
    if (!line) lines.set(name, (line = { running: 0, waiting: [], size: 0, cancel: undefined }));
    const own = line;
    return new Promise((resolve, reject) => {
      own.waiting.push({ work, resolve, reject });
      own.size += size;
      if (own.size >= limits.size) start(name, own);
      else own.cancel ??= plan(() => start(name, own), own.running === 0 ? 0 : limits.waitMs);
    });
  };
}

/** Runs something later: without a wait, once what has come in the same turn of the event loop is there. Returns how to cancel it. */
function plan(run: () => void, waitMs: number): () => void {
  if (waitMs === 0) {
    const immediate = setImmediate(run);
    return () => clearImmediate(immediate);
  }
  const timer = setTimeout(run, waitMs);
  return () => clearTimeout(timer);
}
