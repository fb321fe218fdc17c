import type { EventTimeline } from './eventTimelines.ts';

/** What the relay has told of a session's events with one name. */
export interface RelayCount {
  readonly name: string;
  /** Events that were tracked on this page. */
  readonly tracked: number;
  /** Those that the network accepted, as the relay says: its ledger counts each once. */
  readonly accepted: number;
  /** Those that will never be accepted. */
  readonly refused: number;
  /** All others. */
  readonly waiting: number;
}

/** The names that are counted also when there is no such event. */
const ALWAYS = ['WIDGET_LOAD', 'WIDGET_DISPLAY', 'WIDGET_VIEW', 'BRAND_DISPLAY', 'BRAND_VIEW'];

/** Returns one count for each name. */
export function countAtRelay(timelines: readonly EventTimeline[]): RelayCount[] {
  const names = new Set([...ALWAYS, ...timelines.map(({ event }) => event.event_name)]);
  return [...names].map((name) => {
    const named = timelines.filter(({ event }) => event.event_name === name);
    const accepted = named.filter(({ isAccepted }) => isAccepted).length;
    const refused = named.filter(isRefused).length;
    return { name, tracked: named.length, accepted, refused, waiting: named.length - accepted - refused };
  });
}

/** Says whether the relay counts what was tracked here, and if not, why. `deleted` events have left the queue unsent, no matter of which page. */
export function describeRelayCount(timelines: readonly EventTimeline[], deleted: number): string {
  const missing = timelines.filter(({ isAccepted }) => !isAccepted);
  if (timelines.length === 0) return 'Nothing has been tracked in this session yet.';
  if (missing.length === 0) return 'The relay has accepted everything that was tracked here.';
  const refused = missing.filter(isRefused).length;
  const unanswered = missing.filter((timeline) => timeline.isUnanswered && !isRefused(timeline)).length;
  const open = missing.length - refused;
  return [
    `The relay has accepted ${timelines.length - missing.length} of ${timelines.length}.`,
    refused > 0 && `${refused} ${refused === 1 ? 'was' : 'were'} refused for good: Queue says why.`,
    open > 0 && deleted === 0 && `${open} may still be sent: Queue says when.`,
    open > 0 &&
      deleted > 0 &&
      `${open} may still be sent, or ${open === 1 ? 'is' : 'are'} among the ${deleted} that were deleted from the queue.`,
    unanswered > 0 &&
      `Of ${unanswered}, a response was lost. The relay may have counted ${unanswered === 1 ? 'it' : 'them'}; sent again, each still counts once.`,
  ]
    .filter(Boolean)
    .join(' ');
}

function isRefused({ status, isAccepted }: EventTimeline): boolean {
  return status === 'dead' && !isAccepted;
}
