import type { JSX } from 'preact';
import type { PanelProps } from '../model.ts';
import type { PageEvent } from '../../session/openTrace.ts';
import { describeEvent, describeOptions, describeRequest, endWithStop } from '../describe.ts';
import { timeOfDay } from '../eventTimelines.ts';

/** The outcome of a mount, why it came to it, and everything that happened, in order. */
export function OutcomePanel({ model }: PanelProps): JSX.Element {
  const { explanation, mount, receivedAt } = model;
  if (!explanation || !mount) return <p>This page has not requested any offers yet.</p>;
  const { outcome, waitingFor, events } = explanation;
  const start = mount.lastEventBefore ? events.indexOf(mount.lastEventBefore) + 1 : 0;
  const list = (some: readonly PageEvent[]): JSX.Element[] =>
    some.map((event, index) => (
      <li key={index}>
        <time>{timeOfDay(receivedAt(event))}</time> {describeEvent(event, mount.json)}
      </li>
    ));
  // Only the current state: what was before is in the events.
  const code = waitingFor ? `waiting for ${waitingFor}` : (outcome?.code ?? 'waiting');
  const message = waitingFor ? explanation.hint : (outcome?.message ?? 'There is no outcome yet');
  const hint = waitingFor ? undefined : outcome?.hint;
  return (
    <>
      <section class="lead">
        <h2>{code}</h2>
        {message && <p>{endWithStop(message)}</p>}
        {hint && (
          <p>
            <b>What to do:</b> {endWithStop(hint)}
          </p>
        )}
        {!waitingFor && outcome?.errors?.map(({ path, message: problem }) => <p key={path}>{`${path}: ${problem}`}</p>)}
      </section>
      <h2>Explanation</h2>
      <ol class="explanation">
        {describeRequest(mount, explanation).map((text) => (
          <li key={text}>{text}</li>
        ))}
        {list(events.slice(start))}
      </ol>
      {start > 0 && (
        <details>
          <summary>Before it was shown again: {start} steps</summary>
          <ol class="explanation">{list(events.slice(0, start))}</ol>
        </details>
      )}
      <h2>Configuration</h2>
      <dl>
        {Object.entries(describeOptions(mount)).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
