import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { timeOf } from '../timeOf.ts';
import type { PanelProps } from '../model.ts';
import { nextTry } from '../nextTry.ts';

/** What is kept on this device, what it waits for, and what will never be accepted. */
export function QueuePanel({ model, actions }: PanelProps): JSX.Element {
  const { subject } = model;
  const [isSure, setSure] = useState(false);
  if (!subject?.queue || !subject.stats)
    return <p class="quiet">There is no queue: nothing was allowed or answered yet.</p>;
  const { stats, rows, letters } = subject;
  return (
    <>
      <dl>
        <Figure name="on disk" value={stats.onDisk} />
        <Figure name="in memory" value={stats.inMemory} />
        <Figure name="in flight" value={stats.inFlight} />
        <Figure name="dead letters" value={stats.deadLetters} />
        <Figure name="delivered" value={stats.delivered} />
        <Figure name="dropped" value={stats.dropped} />
      </dl>
      <p>{nextTry(stats, Date.now())}</p>
      <p>
        {stats.storage === 'indexeddb'
          ? 'Kept in IndexedDB: it outlives the page.'
          : 'Kept in memory, for the browser has no IndexedDB here: it ends with the page.'}
      </p>
      <p class="buttons">
        <button type="button" onClick={actions.flush}>
          Flush
        </button>
        {isSure ? (
          <>
            <button
              type="button"
              class="danger"
              onClick={() => {
                setSure(false);
                actions.purge();
              }}
            >
              Yes, delete all
            </button>
            <button type="button" onClick={() => setSure(false)}>
              No
            </button>
          </>
        ) : (
          <button type="button" onClick={() => setSure(true)}>
            Purge …
          </button>
        )}
      </p>
      <h2>Waiting</h2>
      {rows.length === 0 ? (
        <p class="quiet">Nothing waits on disk.</p>
      ) : (
        <ul class="rows">
          {rows.map(({ event_id, event_name, event_datetime, tries }) => (
            <li key={event_id}>
              <time>{timeOf(Date.parse(event_datetime))}</time> <b>{event_name}</b>{' '}
              {tries > 0 && <span class="mild">refused {tries === 1 ? 'once' : `${tries} times`}</span>}
            </li>
          ))}
        </ul>
      )}
      <h2>Dead letters</h2>
      {letters.length === 0 ? (
        <p class="quiet">None.</p>
      ) : (
        <ul class="rows">
          {letters.map((letter) => (
            <li key={letter.event.event_id}>
              <b>{letter.event.event_name}</b> <span class="bad">{letter.reason}</span>
              <button
                type="button"
                onClick={() => actions.replay(letter)}
                aria-label={`Replay ${letter.event.event_name}`}
              >
                Replay
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Figure({ name, value }: { name: string; value: number }): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
