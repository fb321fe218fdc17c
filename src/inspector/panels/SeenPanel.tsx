import type { JSX } from 'preact';
import { VIEW_MS } from '../../wire/limits.ts';
import type { PanelProps } from '../model.ts';
import { eventTimelines } from '../eventTimelines.ts';
import type { OfferVisibility } from '../measureOffers.ts';
import { countAtRelay, describeRelayCount } from '../relayCounts.ts';

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
      <table class="counts">
        <thead>
          <tr>
            <th scope="col">Event</th>
            <th scope="col">Tracked</th>
            <th scope="col">Accepted</th>
            <th scope="col">Waiting</th>
            <th scope="col">Refused</th>
          </tr>
        </thead>
        <tbody>
          {countAtRelay(timelines).map(({ name, tracked, accepted, waiting, refused }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{tracked}</td>
              <td class={tracked > 0 && accepted === tracked ? 'good' : ''}>{accepted}</td>
              <td class={waiting > 0 ? 'mild' : ''}>{waiting}</td>
              <td class={refused > 0 ? 'bad' : ''}>{refused}</td>
            </tr>
          ))}
        </tbody>
      </table>
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
