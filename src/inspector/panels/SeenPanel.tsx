import type { JSX } from 'preact';
import type { EventName } from '../../wire/events.ts';
import { VIEW_MS } from '../../wire/limits.ts';
import type { PanelProps } from '../model.ts';
import { type EventTimeline, eventTimelines } from '../eventTimelines.ts';
import type { OfferVisibility } from '../measureOffers.ts';
import { Table } from './Table.tsx';

/** How much of each offer is visible now, what was reported of this session, and what the relay said to that. */
export function SeenPanel({ model }: PanelProps): JSX.Element {
  const { visibilities, explanation, requests } = model;
  const session = explanation?.response?.session_id;
  const timelines = eventTimelines(explanation?.events ?? [], requests).filter(
    ({ event }) => event.session_id === session,
  );
  return (
    <>
      <h2>Visible offers</h2>
      {visibilities.length === 0 && <p class="quiet">There are no offers on the page.</p>}
      {visibilities.map(({ heading, share, requiredShare, ms, longestMs }, index) => (
        <div key={index} class="visibility">
          <b>{heading}</b>
          <span class="bar">
            <i style={{ inlineSize: percent(share) }} />
            <u style={{ insetInlineStart: percent(requiredShare) }} />
          </span>
          <span>
            {percent(share)} visible, {percent(requiredShare)} required; {seconds(ms)} so far, {seconds(longestMs)} at
            most
            {longestMs >= VIEW_MS ? ': a view' : ''}
          </span>
        </div>
      ))}
      <h2>Reported</h2>
      <Table class="counts" columns={['Event', 'Tracked', 'Accepted', 'Waiting', 'Refused']}>
        {countAtRelay(timelines).map(({ name, tracked, accepted, waiting, refused }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{tracked}</td>
            <td class={tracked > 0 && accepted === tracked ? 'good' : ''}>{accepted}</td>
            <td class={waiting > 0 ? 'mild' : ''}>{waiting}</td>
            <td class={refused > 0 ? 'bad' : ''}>{refused}</td>
          </tr>
        ))}
      </Table>
      <p>{describeRelayCount(timelines, explanation?.queue.dropped ?? 0)}</p>
      <p class="quiet">
        Tracked on this page, and accepted as the relay told this page. Where the relay keeps a ledger, it counts these,
        in the hour of the event.
      </p>
      <p class="quiet">
        A view is half of an offer for one second without interruption. For offers above 242,500 px² it is 30 %. For
        offers that do not fit the window it is half of what the window can show. The inspector measures this by itself:
        the frames do not change what is reported.
      </p>
    </>
  );
}

/** A frame around each offer. Clicks pass through it. */
export function Frames({ visibilities }: { visibilities: readonly OfferVisibility[] }): JSX.Element {
  return (
    <div class="frames" aria-hidden="true">
      {visibilities.map(({ element, share, requiredShare, ms, longestMs }, index) => {
        const { left, top, width, height } = element.getBoundingClientRect();
        const isViewed = longestMs >= VIEW_MS;
        return (
          <div
            key={index}
            class={isViewed ? 'frame viewed' : share >= requiredShare ? 'frame enough' : 'frame'}
            style={{ left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` }}
          >
            {/* Above its frame where there is space. */}
            <span style={{ top: `${Math.max(-20, 2 - top)}px` }}>
              {percent(share)} · {seconds(isViewed ? longestMs : ms)}
              {isViewed ? ' · viewed' : ` of ${percent(requiredShare)} for 1 s`}
            </span>
          </div>
        );
      })}
    </div>
  );
}

function percent(share: number): string {
  return `${Math.round(share * 100)}%`;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

/** What the relay has reported about a session's events with one name. */
interface RelayCount {
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

/** The names that are counted even when there is no such event. */
const ALWAYS: readonly EventName[] = ['WIDGET_LOAD', 'WIDGET_DISPLAY', 'WIDGET_VIEW', 'BRAND_DISPLAY', 'BRAND_VIEW'];

/** Returns one count for each name. */
export function countAtRelay(timelines: readonly EventTimeline[]): RelayCount[] {
  const names = new Set<string>([...ALWAYS, ...timelines.map(({ event }) => event.event_name)]);
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
