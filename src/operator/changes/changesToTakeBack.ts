import { listOf, type LoggedChange } from './changeLog.ts';

/** Whose changes: a log has those of all channels that this account works for. */
export interface ChangesOwner {
  readonly network: string;
  /** The channel's name. */
  readonly channel: string;
}

/** Returns the changes of one channel, oldest first. */
export function changesOf(changes: readonly LoggedChange[], { network, channel }: ChangesOwner): LoggedChange[] {
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
