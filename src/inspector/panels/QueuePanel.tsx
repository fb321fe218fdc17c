import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { PanelProps } from '../model.ts';
import type { DeadLetter } from '../../queue/events.ts';
import type { EventRow } from '../../queue/rows.ts';
import { nextTry, timeOfDay } from '../eventTimelines.ts';

const FIGURES = [
  ['on disk', 'onDisk'],
  ['in memory', 'inMemory'],
  ['in flight', 'inFlight'],
  ['dead letters', 'deadLetters'],
  ['delivered', 'delivered'],
  ['dropped', 'dropped'],
] as const;

/** What is queued on this device, when it is sent, and what will never be accepted. */
export function QueuePanel({ model, actions }: PanelProps): JSX.Element {
  const { mount } = model;
  if (!mount?.queue || !mount.stats)
    return <p class="quiet">There is no queue: consent is missing, or there was no response yet.</p>;
  const { stats, rows, deadLetters } = mount;
  return (
    <>
      <dl>
        {FIGURES.map(([name, field]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{stats[field]}</dd>
          </div>
        ))}
      </dl>
      <p>{nextTry(stats, Date.now())}</p>
      <p>
        {stats.storage === 'indexeddb'
          ? 'Stored in IndexedDB: events survive the page.'
          : 'Stored in memory, because IndexedDB is not available: events are lost when the page closes.'}
      </p>
      <QueueButtons onFlush={actions.flush} onPurge={actions.purge} />
      <h2>Waiting</h2>
      <WaitingEvents rows={rows} />
      <h2>Dead letters</h2>
      <DeadLetters letters={deadLetters} onReplay={actions.replay} />
    </>
  );
}

function QueueButtons({ onFlush, onPurge }: { onFlush(): void; onPurge(): void }): JSX.Element {
  const [isConfirming, setConfirming] = useState(false);
  return (
    <p class="buttons">
      <button type="button" onClick={onFlush}>
        Flush
      </button>
      {isConfirming ? (
        <>
          <button
            type="button"
            class="danger"
            onClick={() => {
              setConfirming(false);
              onPurge();
            }}
          >
            Yes, delete all
          </button>
          <button type="button" onClick={() => setConfirming(false)}>
            No
          </button>
        </>
      ) : (
        <button type="button" onClick={() => setConfirming(true)}>
          Purge …
        </button>
      )}
    </p>
  );
}

function WaitingEvents({ rows }: { rows: readonly EventRow[] }): JSX.Element {
  if (rows.length === 0) return <p class="quiet">No events are waiting.</p>;
  return (
    <ul class="rows">
      {rows.map(({ event, tries = 0 }) => (
        <li key={event.event_id}>
          <time>{timeOfDay(Date.parse(event.event_datetime))}</time> <b>{event.event_name}</b>{' '}
          {tries > 0 && <span class="mild">refused {tries === 1 ? 'once' : `${tries} times`}</span>}
        </li>
      ))}
    </ul>
  );
}

interface DeadLettersProps {
  readonly letters: readonly DeadLetter[];
  onReplay(letter: DeadLetter): void;
}

function DeadLetters({ letters, onReplay }: DeadLettersProps): JSX.Element {
  if (letters.length === 0) return <p class="quiet">None.</p>;
  return (
    <ul class="rows">
      {letters.map((letter) => (
        <li key={letter.event.event_id}>
          <b>{letter.event.event_name}</b> <span class="bad">{letter.reason}</span>
          <button type="button" onClick={() => onReplay(letter)} aria-label={`Replay ${letter.event.event_name}`}>
            Replay
          </button>
        </li>
      ))}
    </ul>
  );
}
