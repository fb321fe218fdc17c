import { randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, mkdirSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { homedir, hostname, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { EXIT, ExitError } from '../cli/ExitError.ts';
import { isObject, parseJson } from '../wire/json.ts';

/** A change of a channel that is about to be made. */
export interface Change {
  readonly action: 'exclusions' | 'publishers added' | 'publisher removed';
  /** The URL of the network. */
  readonly network: string;
  readonly environment: string | null;
  /** The channel's name. */
  readonly channel: string | null;
  /** Whose exclusions, or which publisher; null for the whole channel. */
  readonly publisher: { readonly id: string; readonly name: string } | null;
  readonly before: unknown;
  readonly after: unknown;
  /** The change that this one takes back. */
  readonly undoes?: string | undefined;
}

/** A change as the log has it. */
export interface LoggedChange extends Change {
  readonly id: string;
  /** When it was begun. */
  readonly at: string;
  /** The account and the machine. */
  readonly by: string;
  /** Where it was made. */
  readonly from: 'command' | 'console';
  /** `unknown`: no response says whether it took effect. */
  readonly outcome: 'done' | 'failed' | 'unknown';
}

/** The changes that were made from this account. */
export interface ChangeLog {
  readonly path: string;
  /** Logs the start of a change, makes it, and logs its result. Rejects before it if the log cannot be written. */
  record<Result>(change: Change, make: () => Promise<Result>): Promise<Result>;
  /** Returns all changes, oldest first. */
  read(): LoggedChange[];
}

/** What `openChangeLog` needs. */
export interface ChangeLogOptions {
  readonly from: LoggedChange['from'];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Opens the log of this account: one JSON object on each line, only ever appended to, readable by nobody else. A change is
 * written twice, before and after it is made, so a process that is killed in between leaves it as `unknown`.
 */
export function openChangeLog({ from, env }: ChangeLogOptions): ChangeLog {
  const path = join(stateFolder(env), 'offerlet', 'changes.jsonl');
  return {
    path,
    async record(change, make) {
      const id = randomBytes(4).toString('hex');
      const begun = { id, at: new Date().toISOString(), by: whoIsThis(), from, ...change };
      try {
        append(path, begun);
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        throw new ExitError(
          `The log of changes cannot be written: "${path}" (${code ?? String(error)}). Nothing was changed.`,
          EXIT.failed,
        );
      }
      const end = (outcome: LoggedChange['outcome']): void => {
        try {
          append(path, { id, ended: new Date().toISOString(), outcome });
        } catch {
          // Its beginning is there, and without an end it counts as unknown.
        }
      };
      try {
        const result = await make();
        end('done');
        return result;
      } catch (error) {
        end(wasRefused(error) ? 'failed' : 'unknown');
        throw error;
      }
    },
    read: () => readChanges(path),
  };
}

/** Only a response of the network says that nothing was changed. */
function wasRefused(error: unknown): boolean {
  const { status } = error as { status?: unknown };
  return typeof status === 'number' && status >= 400 && status < 500;
}

function stateFolder(env: ChangeLogOptions['env']): string {
  const home = env['HOME'] || homedir();
  if (process.platform === 'win32') return env['LOCALAPPDATA'] || join(home, 'AppData', 'Local');
  return env['XDG_STATE_HOME'] || join(home, '.local', 'state');
}

function whoIsThis(): string {
  try {
    return `${userInfo().username}@${hostname()}`;
  } catch {
    // An account without a name, as in a container.
    return `${process.getuid?.() ?? 'unknown'}@${hostname()}`;
  }
}

/** One write in append mode: lines of two processes never mix. A link is not followed: it could lead to any file. */
function append(path: string, entry: object): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // Windows has no O_NOFOLLOW, which counts as 0.
  const { O_APPEND, O_CREAT, O_RDWR, O_NOFOLLOW } = constants;
  const file = openSync(path, O_APPEND | O_CREAT | O_RDWR | O_NOFOLLOW, 0o600);
  try {
    const status = fstatSync(file);
    if (!status.isFile()) throw Object.assign(new Error('not a file'), { code: 'not a file' });
    // A full disk may have cut the last line: the next one begins on its own.
    const last = Buffer.alloc(1);
    const isCut = status.size > 0 && readSync(file, last, 0, 1, status.size - 1) === 1 && last[0] !== 10;
    const bytes = Buffer.from(`${isCut ? '\n' : ''}${JSON.stringify(entry)}\n`);
    if (writeSync(file, bytes) !== bytes.length) throw Object.assign(new Error('the disk is full'), { code: 'ENOSPC' });
  } finally {
    closeSync(file);
  }
}

function readChanges(path: string): LoggedChange[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  const changes = new Map<string, LoggedChange>();
  for (const line of text.split('\n')) {
    const entry = parseJson(line);
    if (!isObject(entry) || typeof entry['id'] !== 'string') continue;
    const { id, outcome } = entry;
    const begun = changes.get(id);
    if (begun === undefined && typeof entry['action'] === 'string')
      changes.set(id, { ...(entry as unknown as LoggedChange), outcome: 'unknown' });
    else if (begun && (outcome === 'done' || outcome === 'failed')) changes.set(id, { ...begun, outcome });
  }
  return [...changes.values()];
}

/** The texts of what was there before or after a change: the ids of a list, or each item as JSON. */
export function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))) : [];
}

/** Returns the changes of one channel, oldest first: a log has those of all channels that this account works for. */
export function changesOf(
  changes: readonly LoggedChange[],
  { network, channel }: Pick<Change, 'network' | 'channel'>,
): LoggedChange[] {
  return changes.filter((one) => one.channel === channel && plainUrl(one.network) === plainUrl(network));
}

/** Returns the changes of exclusions that are still in effect and have not been taken back, oldest first. */
export function openChanges(changes: readonly LoggedChange[]): LoggedChange[] {
  const undone = new Set(changes.filter(({ outcome }) => outcome === 'done').map(({ undoes }) => undoes));
  return changes.filter(
    ({ action, outcome, id }) => action === 'exclusions' && outcome !== 'failed' && !undone.has(id),
  );
}

/** The ids of the changes that can be taken back, as far as the log knows: their list is still the latest one. */
export function changesToTakeBack(changes: readonly LoggedChange[]): ReadonlySet<string> {
  const open = openChanges(changes);
  const latest = new Map(open.map(({ publisher, after }) => [publisher?.id ?? '', after]));
  const fits = open.filter(({ publisher, before, after }) => {
    const now = listOf(latest.get(publisher?.id ?? ''));
    return isSameList(now, listOf(after)) && !isSameList(now, listOf(before));
  });
  return new Set(fits.map(({ id }) => id));
}

/** Whether two lists have the same ids, in any order. */
export function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.toSorted().join() === other.toSorted().join();
}

function plainUrl(url: string): string {
  return URL.canParse(url) ? new URL(url).href.replace(/\/+$/, '') : url;
}
