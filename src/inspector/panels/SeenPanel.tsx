import type { JSX } from 'preact';
import type { PanelProps } from '../model.ts';
import type { Sight } from '../watchOffers.ts';

/** Milliseconds of uninterrupted sight that make a view. */
const VIEW_MS = 1_000;

/** What is seen of each offer now, and what was reported of it. */
export function SeenPanel({ model }: PanelProps): JSX.Element {
  const { sights, story } = model;
  const tracked = (story?.events ?? []).flatMap((event) => (event.type === 'tracked' ? [event.event.event_name] : []));
  const count = (name: string): number => tracked.filter((one) => one === name).length;
  return (
    <>
      <h2>Offers in sight</h2>
      {sights.length === 0 && <p class="quiet">No offer stands on the page.</p>}
      {sights.map(({ heading, share, needed, ms, longestMs }, index) => (
        <div key={index} class="sight">
          <b>{heading}</b>
          <span class="bar">
            <i style={{ inlineSize: percent(share) }} />
            <u style={{ insetInlineStart: percent(needed) }} />
          </span>
          <span>
            {percent(share)} visible, {percent(needed)} needed; {seconds(ms)} without a break, {seconds(longestMs)} at
            most
            {longestMs >= VIEW_MS ? ': a view' : ''}
          </span>
        </div>
      ))}
      <h2>Reported</h2>
      <dl>
        {['WIDGET_LOAD', 'WIDGET_DISPLAY', 'WIDGET_VIEW', 'BRAND_DISPLAY', 'BRAND_VIEW'].map((name) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{count(name)}</dd>
          </div>
        ))}
      </dl>
      <p class="quiet">
        A view is half of an offer for one second without a break; of an offer above 242,500 px² it is 30 %, and of one
        that cannot fit the window half of what the window holds. The frames are measured here alone: what is reported
        does not know of them.
      </p>
    </>
  );
}

/** A frame round each offer; clicks go through it. */
export function Frames({ sights }: { sights: readonly Sight[] }): JSX.Element {
  return (
    <div class="frames" aria-hidden="true">
      {sights.map(({ element, share, needed, ms, longestMs }, index) => {
        const { left, top, width, height } = element.getBoundingClientRect();
        const isViewed = longestMs >= VIEW_MS;
        return (
          <div
            key={index}
            class={isViewed ? 'frame viewed' : share >= needed ? 'frame enough' : 'frame'}
            style={{ left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` }}
          >
            {/* Above its frame while there is room. */}
            <span style={{ top: `${Math.max(-20, 2 - top)}px` }}>
              {percent(share)} · {seconds(isViewed ? longestMs : ms)}
              {isViewed ? ' · viewed' : ` of ${percent(needed)} for 1 s`}
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
