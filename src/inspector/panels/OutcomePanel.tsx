import type { JSX } from 'preact';
import type { PanelProps } from '../model.ts';
import type { Explanation, PageEvent } from '../../session/openTrace.ts';
import { describeConsent, describeOptions } from '../openMounts.ts';
import { describeEvent, endWithStop, timeOf } from '../eventTimelines.ts';

/** What each outcome means for a tester. */
const MEANINGS: Readonly<Record<string, string>> = {
  rendered: 'The offers are on the page.',
  no_offers: 'The network had no offers that can be shown. This is not an error.',
  consent_denied: 'Without consent nothing was requested and nothing is stored.',
  already_shown: 'The shopper has closed the offers of this order, so they are not shown again.',
  invalid_config: 'An option on the page is not valid. Nothing was requested.',
  refused: 'The relay, or the network behind it, refused the request.',
  network_error: 'There was no response that could be read.',
  waiting: 'It is under way.',
  'waiting for consent': 'Nothing is requested, stored or sent before the shopper decides.',
  'waiting for page': 'The offers are requested when the page has loaded and is idle.',
  'waiting for dialog': 'A modal dialog of the page is open.',
  'waiting for relay': 'The relay has not responded yet.',
};

/** The outcome of a mount, why it came to it, and everything that happened, in order. */
export function OutcomePanel({ model }: PanelProps): JSX.Element {
  const { explanation, mount, receivedAt } = model;
  if (!explanation || !mount) return <p>This page has not requested any offers yet.</p>;
  const { outcome, waitingFor, events } = explanation;
  const hint = waitingFor ? explanation.hint : outcome?.hint;
  const code = waitingFor ? `waiting for ${waitingFor}` : (outcome?.code ?? 'waiting');
  const start = mount.lastEventBefore ? events.indexOf(mount.lastEventBefore) + 1 : 0;
  return (
    <>
      <section class="lead">
        <h2>{code}</h2>
        <p>{MEANINGS[code]}</p>
        {outcome && <p class="quote">{endWithStop(outcome.message)}</p>}
        {hint && (
          <p>
            <b>What to do:</b> {endWithStop(hint)}
          </p>
        )}
      </section>
      <h2>Explanation</h2>
      <ol class="explanation">
        {describeRequest(explanation).map((text) => (
          <li key={text}>{text}</li>
        ))}
        <EventItems events={events.slice(start)} receivedAt={receivedAt} />
      </ol>
      {start > 0 && (
        <details>
          <summary>Before it was shown again: {start} steps</summary>
          <ol class="explanation">
            <EventItems events={events.slice(0, start)} receivedAt={receivedAt} />
          </ol>
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

interface EventItemsProps {
  readonly events: readonly PageEvent[];
  receivedAt(event: PageEvent): number | undefined;
}

function EventItems({ events, receivedAt }: EventItemsProps): JSX.Element {
  return (
    <>
      {events.map((event, index) => (
        <li key={index}>
          <time>{timeOf(receivedAt(event))}</time> {describeEvent(event)}
        </li>
      ))}
    </>
  );
}

function describeRequest({ consent, request, response, prefetched }: Explanation): string[] {
  const sentences: string[] = [];
  if (consent) sentences.push(describeConsent(consent));
  if (request) {
    const shopper = request.user_details.join(', ') || 'nothing on the page (the relay may know the shopper)';
    sentences.push(
      `Requested from ${request.relay} for ${request.view} in ${request.display_mode}; the shopper is identified by ${shopper}.`,
      request.isRemembering
        ? 'The order has an order_id: its response is remembered for a day.'
        : 'The order has no order_id: every page load requests again.',
    );
  }
  if (prefetched && !response?.isPrefetched) sentences.push(`Prefetched by the server: ${endWithStop(prefetched)}`);
  if (response) {
    const source = response.isRemembered
      ? 'Remembered from an earlier page load'
      : response.isPrefetched
        ? 'Prefetched by the server'
        : 'Received';
    sentences.push(
      `${source}: ${response.offers} ${response.offers === 1 ? 'offer' : 'offers'}, session ${response.session_id}.`,
    );
    if (!response.isCounted)
      sentences.push('The browser identifies itself as a bot: the offers are shown, not counted.');
  }
  return sentences;
}
