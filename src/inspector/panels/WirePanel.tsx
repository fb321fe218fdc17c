import type { JSX } from 'preact';
import { readRecommendations } from '../../wire/offers/readRecommendations.ts';
import { maskQuestion } from '../mask.ts';
import { unseenQuestion } from '../subject.ts';
import { timeOf } from '../timeOf.ts';
import type { PanelProps } from '../model.ts';
import type { Exchange } from '../tap.ts';

/** What was asked and answered at each step, and what became of the offers. */
export function WirePanel({ model }: PanelProps): JSX.Element {
  const { subject, story, exchanges } = model;
  const unseen = subject && unseenQuestion(subject, story, exchanges);
  return (
    <>
      <h2>Requests to the relay</h2>
      {subject?.body && unseen && (
        <details class="exchange">
          <summary>
            <b>/recommendations</b>
            <span class="quiet">{unseen}</span>
          </summary>
          <Json label="Asked" value={maskQuestion(subject.body)} />
          <Json label="Answered" value={subject.json} />
        </details>
      )}
      {exchanges.map((exchange) => (
        <ExchangeRow key={`${exchange.at} ${exchange.path}`} exchange={exchange} />
      ))}
      {exchanges.length === 0 && !subject?.body && <p class="quiet">None yet.</p>}
      <h2>Offers of the answer</h2>
      <Offers json={subject?.json} />
      <p class="quiet">Whatever could be about a person is masked here, in the report and in nothing that is sent.</p>
    </>
  );
}

function ExchangeRow({ exchange }: { exchange: Exchange }): JSX.Element {
  const { path, at, sent, status, answer, error, ms, isForced } = exchange;
  const isFine = status !== undefined && status < 300 && status !== 207;
  return (
    <details class="exchange">
      <summary>
        <time>{timeOf(at)}</time>
        <b>{path}</b>
        <span class={isFine || (status ?? error) === undefined ? 'good' : 'bad'}>
          {status ?? (error ? 'no answer' : '…')}
        </span>
        {ms !== undefined && <span class="quiet">{ms} ms</span>}
        {isForced && <span class="chip">forced</span>}
      </summary>
      <Json label="Asked" value={sent} />
      {error ? <p class="quote">{error}</p> : <Json label="Answered" value={answer} />}
    </details>
  );
}

function Offers({ json }: { json: unknown }): JSX.Element {
  const read = json === undefined ? undefined : readRecommendations(json, { allowLoopback: true });
  if (!read) return <p class="quiet">No answer has come.</p>;
  if (!read.ok) return <p class="bad">{read.problems.map(({ path, message }) => `${path} ${message}`).join('; ')}</p>;
  const { groups, left_out } = read.value;
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Offer</th>
          <th scope="col">Advertiser</th>
          <th scope="col">What becomes of it</th>
        </tr>
      </thead>
      <tbody>
        {groups.flatMap(({ offers }) =>
          offers.map(({ insertion_id, advertiser, offer }) => (
            <tr key={insertion_id}>
              <td>{offer.heading}</td>
              <td>{advertiser.name}</td>
              <td class="good">can be shown</td>
            </tr>
          )),
        )}
        {left_out.map(({ offer_id, reason }, index) => (
          <tr key={index}>
            <td>{offer_id}</td>
            <td />
            <td class="bad">left out: {reason}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Json({ label, value }: { label: string; value: unknown }): JSX.Element | null {
  if (value === undefined) return null;
  return (
    <figure>
      <figcaption>{label}</figcaption>
      {/* Wide lines scroll, so the keyboard must reach it. */}
      <pre tabIndex={0} aria-label={label}>
        {typeof value === 'string' ? value : JSON.stringify(value, null, 2)}
      </pre>
    </figure>
  );
}
