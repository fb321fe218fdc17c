import type { JSX } from 'preact';
import { livesOf } from '../lives.ts';
import { timeOf } from '../timeOf.ts';
import type { PanelProps } from '../model.ts';

/** Each event's life, from tracked to delivered, refused or dead. */
export function EventsPanel({ model }: PanelProps): JSX.Element {
  const { story, exchanges } = model;
  const lives = livesOf(story?.events ?? [], exchanges);
  const { delivered = 0, dropped = 0, dead = 0, waiting = 0 } = story?.queue ?? {};
  return (
    <>
      <p class="sum">
        <b>{lives.length}</b> tracked <b>{delivered}</b> delivered <b>{waiting}</b> waiting <b>{dropped}</b> dropped{' '}
        <b>{dead}</b> dead
      </p>
      <table class="events">
        <thead>
          <tr>
            <th scope="col">Event</th>
            <th scope="col">Fate</th>
            <th scope="col">Life</th>
          </tr>
        </thead>
        <tbody>
          {lives.map(({ event, fate, steps }) => (
            <tr key={event.event_id}>
              <td>
                <b>{event.event_name}</b>
                <small>{event.initiating_target}</small>
                <small>{event.brand_properties && `offer ${event.brand_properties.offer_id}`}</small>
              </td>
              <td class={fate === 'delivered' ? 'good' : fate === 'dead' ? 'bad' : 'mild'}>{fate}</td>
              <td>
                <ol class="life">
                  {steps.map(({ at, text }, index) => (
                    <li key={index}>
                      <time>{timeOf(at)}</time> {text}
                    </li>
                  ))}
                </ol>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {lives.length === 0 && <p class="quiet">Nothing was tracked on this page yet.</p>}
      <p class="quiet">
        The same events, as they arrived, are at the sandbox network: <code>GET /sandbox/events?session_id=…</code>
      </p>
    </>
  );
}
