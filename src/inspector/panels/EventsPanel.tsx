import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { PanelProps } from '../model.ts';
import { type EventTimeline, eventTimelines, timeOf } from '../eventTimelines.ts';
import { Filter, matches } from './Filter.tsx';
import { Table } from './Table.tsx';

/** Each event with its timeline, from tracked to delivered, refused or dead; the newest first. */
export function EventsPanel({ model }: PanelProps): JSX.Element {
  const { explanation, requests } = model;
  const timelines = eventTimelines(explanation?.events ?? [], requests);
  const [filter, setFilter] = useState('');
  const shown = timelines.filter((timeline) => matches(textOf(timeline), filter)).toReversed();
  const { delivered = 0, dropped = 0, dead = 0, waiting = 0 } = explanation?.queue ?? {};
  return (
    <>
      <p class="sum">
        <b>{timelines.length}</b> tracked <b>{delivered}</b> delivered <b>{waiting}</b> waiting <b>{dropped}</b> dropped{' '}
        <b>{dead}</b> dead
      </p>
      <Filter what="events" value={filter} shown={shown.length} all={timelines.length} onChange={setFilter} />
      <Table class="events" columns={['Event', 'Status', 'Timeline']}>
        {shown.map(({ event, status, steps }) => (
          <tr key={event.event_id}>
            <td>
              <b>{event.event_name}</b>
              <small>{event.initiating_target}</small>
              <small>{event.brand_properties && `offer ${event.brand_properties.offer_id}`}</small>
            </td>
            <td class={status === 'delivered' ? 'good' : status === 'dead' ? 'bad' : 'mild'}>{status}</td>
            <td>
              <ol class="timeline">
                {steps.map(({ at, text }, index) => (
                  <li key={index}>
                    <time>{timeOf(at)}</time> {text}
                  </li>
                ))}
              </ol>
            </td>
          </tr>
        ))}
      </Table>
      {timelines.length === 0 && <p class="quiet">No event has been tracked on this page yet.</p>}
      <p class="quiet">
        The sandbox network lists the events that arrived: <code>GET /sandbox/events?session_id=…</code>
      </p>
    </>
  );
}

/** What can be searched of an event: everything that its row shows. */
function textOf({ event, status, steps }: EventTimeline): string {
  const { event_name, initiating_target, brand_properties } = event;
  return [event_name, initiating_target, brand_properties?.offer_id, status, ...steps.map(({ text }) => text)].join(
    ' ',
  );
}
