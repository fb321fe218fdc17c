import type { JSX } from 'preact';
import type { PanelProps } from '../model.ts';
import type { OfferVisibility } from '../measureOffers.ts';

/** How much of each offer is visible now. */
export function SeenPanel({ model: { visibilities } }: PanelProps): JSX.Element {
  return (
    <>
      <h2>Visible offers</h2>
      {visibilities.length === 0 && <p class="quiet">There are no offers on the page.</p>}
      {visibilities.map(({ heading, share, requiredShare, ms, isViewed }, index) => (
        <p key={index}>
          <b>{heading}</b>
          <br />
          <span>
            {percent(share)} visible, {percent(requiredShare)} required; {isViewed ? 'a view' : `${seconds(ms)} so far`}
          </span>
        </p>
      ))}
      <p class="quiet">
        A view is half of an offer for one second without interruption. For offers above 242,500 px² it is 30 %. For
        offers that do not fit the window it is half of what the window can show. The inspector measures this by itself
        while this panel is open. What the page has reported is in Events.
      </p>
    </>
  );
}

/** A frame around each offer. Clicks pass through it. */
export function Frames({ visibilities }: { visibilities: readonly OfferVisibility[] }): JSX.Element {
  return (
    <div class="frames" aria-hidden="true">
      {visibilities.map(({ element, share, requiredShare, ms, isViewed }, index) => {
        const { left, top, width, height } = element.getBoundingClientRect();
        return (
          <div
            key={index}
            class={isViewed ? 'frame viewed' : share >= requiredShare ? 'frame enough' : 'frame'}
            style={{ left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` }}
          >
            {/* Above its frame where there is space. */}
            <span style={{ top: `${Math.max(-20, 2 - top)}px` }}>
              {percent(share)} · {isViewed ? 'viewed' : `${seconds(ms)} of ${percent(requiredShare)} for 1 s`}
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
