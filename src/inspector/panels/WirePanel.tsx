import type { JSX } from 'preact';
import { problemsText } from '../../wire/json.ts';
import { readRecommendations } from '../../wire/offers/readRecommendations.ts';
import type { PanelProps } from '../model.ts';
import { describeUnseenRequest, nameOffer } from '../describe.ts';
import { type RequestRecord, maskRequest } from '../observePage.ts';
import { timeOfDay } from '../eventTimelines.ts';
import { Table } from './Table.tsx';

/** Every request to the relay with its response, the newest first, and what was done with each offer. */
export function WirePanel({ model }: PanelProps): JSX.Element {
  const { mount, explanation, requests } = model;
  const unseen = mount && describeUnseenRequest(mount, explanation, requests);
  return (
    <>
      <h2>Requests to the relay</h2>
      {requests.toReversed().map((request) => (
        <RequestItem key={`${request.at} ${request.path}`} request={request} />
      ))}
      {mount?.body && unseen && (
        <details class="request">
          <summary>
            <b>/recommendations</b>
            <span class="quiet">{unseen}</span>
          </summary>
          <Json label="Request" value={maskRequest(mount.body)} />
          <Json label="Response" value={mount.json} />
        </details>
      )}
      {requests.length === 0 && !mount?.body && <p class="quiet">None yet.</p>}
      <h2>Offers in the response</h2>
      <ResponseOffers json={mount?.json} max={mount?.handle.options.maxOffers} />
      <p class="quiet">
        Values that could identify a person are masked here and in the report. What is sent to the relay is not changed.
      </p>
    </>
  );
}

function RequestItem({ request }: { request: RequestRecord }): JSX.Element {
  const { path, at, sent, status, received, error, ms, isForced } = request;
  const isFine = status !== undefined && status < 300 && status !== 207;
  return (
    <details class="request">
      <summary>
        <time>{timeOfDay(at).slice(0, 8)}</time>
        <b title={path}>{path}</b>
        <span class={isFine || (status ?? error) === undefined ? 'good' : 'bad'}>
          {status ?? (error ? 'no response' : '…')}
        </span>
        {ms !== undefined && <span class="quiet">{ms} ms</span>}
        {isForced && <span class="chip">forced</span>}
      </summary>
      <Json label="Request" value={sent} />
      {error ? <p class="quote">{error}</p> : <Json label="Response" value={received} />}
    </details>
  );
}

function ResponseOffers({ json, max = Infinity }: { json: unknown; max?: number | undefined }): JSX.Element {
  const read = json === undefined ? undefined : readRecommendations(json, { allowLoopback: true });
  if (!read) return <p class="quiet">There is no response yet.</p>;
  if (!read.ok) return <p class="bad">{problemsText(read.problems)}</p>;
  const { groups, left_out } = read.value;
  const placed = groups.flatMap(({ offers }) => offers);
  return (
    <Table columns={['Offer', 'Result']}>
      {placed.map(({ insertion_id, offer_id }, index) => (
        <tr key={insertion_id}>
          <td>{nameOffer(offer_id, json)}</td>
          {index < max ? <td class="good">can be shown</td> : <td class="mild">not shown: maxOffers is {max}</td>}
        </tr>
      ))}
      {left_out.map(({ offer_id, reason }, index) => (
        <tr key={index}>
          <td>{nameOffer(offer_id, json)}</td>
          <td class="bad">left out: {reason}</td>
        </tr>
      ))}
    </Table>
  );
}

function Json({ label, value }: { label: string; value: unknown }): JSX.Element | null {
  if (value === undefined) return null;
  return (
    <figure>
      <figcaption>{label}</figcaption>
      {/* Long lines scroll, so the keyboard must reach it. */}
      <pre tabIndex={0} aria-label={label}>
        {typeof value === 'string' ? value : JSON.stringify(value, null, 2)}
      </pre>
    </figure>
  );
}
