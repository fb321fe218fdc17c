import type { JSX } from 'preact';
import type { PanelProps } from '../model.ts';
import { nameOffer } from '../describe.ts';
import { eventTimelines, timeOfDay } from '../eventTimelines.ts';
import { Table } from './Table.tsx';

/** Each event with its timeline, from tracked to delivered, refused or dead; the newest first. */
export function EventsPanel({ model }: PanelProps): JSX.Element {
  const { explanation, mount, requests } = model;
  const timelines = eventTimelines(explanation?.events ?? [], requests);
  const { delivered = 0, dropped = 0, dead = 0, waiting = 0 } = explanation?.queue ?? {};
  return (
    <>
      <p class="sum">
        <b>{timelines.length}</b> tracked <b>{delivered}</b> delivered <b>{waiting}</b> waiting <b>{dropped}</b> dropped{' '}
        <b>{dead}</b> dead
      </p>
      <Table columns={['Event', 'Status']}>
        {timelines.toReversed().map(({ event, status, steps }) => (
          <tr key={event.event_id}>
            <td>
              <b>{event.event_name}</b>
              <small>{event.initiating_target}</small>
              <small>{event.brand_properties && nameOffer(event.brand_properties.offer_id, mount?.json)}</small>
              <ol class="timeline">
                {steps.map(({ at, text }, index) => (
                  <li key={index}>
                    <time>{timeOfDay(at)}</time> {text}
                  </li>
                ))}
              </ol>
            </td>
            <td class={status === 'delivered' ? 'good' : status === 'dead' ? 'bad' : 'mild'}>{status}</td>
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
