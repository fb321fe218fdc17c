import type { JSX } from 'preact';
import type { PanelProps } from '../model.ts';
import type { MountEvent, Story } from '../mount.ts';
import { timeOf } from '../timeOf.ts';
import { optionsInWords } from '../subject.ts';

/** What each outcome means to somebody who tests. */
const MEANINGS: Readonly<Record<string, string>> = {
  rendered: 'The offers are on the page.',
  no_offers: 'The network had nothing that can be shown. That is no fault.',
  consent_denied: 'Nothing was asked, nothing is kept.',
  already_shown: 'The shopper has closed the offers of this order; they stay away.',
  invalid_config: 'Something on the page is written wrongly; nothing was asked.',
  refused: 'The relay, or the network behind it, said no to this question.',
  network_error: 'There was no answer that can be read.',
  waiting: 'It goes on, or it waits: for the page to load, for consent, for a dialog of the page to close.',
};

/** How it ended, why, and the whole story as a list. */
export function OutcomePanel({ model }: PanelProps): JSX.Element {
  const { story, subject } = model;
  if (!story || !subject) return <p>No offers have been asked for on this page yet.</p>;
  const { outcome, events } = story;
  const begin = subject.before ? events.indexOf(subject.before) + 1 : 0;
  const told = (some: readonly MountEvent[]): JSX.Element[] =>
    some.map((event, index) => {
      const at = model.heardAt(event);
      return (
        <li key={index}>
          <time>{at === undefined ? '' : timeOf(at)}</time> {sentenceOf(event)}
        </li>
      );
    });
  return (
    <>
      <section class="lead">
        <h2>{outcome?.code ?? 'waiting'}</h2>
        <p>{MEANINGS[outcome?.code ?? 'waiting']}</p>
        {outcome && <p class="quote">{inOneStop(outcome.message)}</p>}
        {outcome?.hint && (
          <p>
            <b>What to do:</b> {inOneStop(outcome.hint)}
          </p>
        )}
      </section>
      <h2>Story</h2>
      <ol class="story">
        {storyOf(story).map((text) => (
          <li key={text}>{text}</li>
        ))}
        {told(events.slice(begin))}
      </ol>
      {begin > 0 && (
        <details>
          <summary>Before it was shown anew: {begin} steps</summary>
          <ol class="story">{told(events.slice(0, begin))}</ol>
        </details>
      )}
      <h2>Configuration</h2>
      <dl>
        {Object.entries(optionsInWords(subject)).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function storyOf({ asked, answered }: Story): string[] {
  const lines: string[] = [];
  if (asked) {
    lines.push(
      `Asked ${asked.relay} for ${asked.view} in ${asked.display_mode}, the shopper named by ${asked.user_details.join(', ') || 'nobody (the relay may know)'}.`,
      asked.isRemembering
        ? 'The order has a number: its answer is remembered for a day.'
        : 'The order has no number: every load asks anew.',
    );
  }
  if (answered) {
    lines.push(
      `${answered.isRemembered ? 'Remembered from an earlier page' : 'Answered'}: ${answered.offers} ${answered.offers === 1 ? 'offer' : 'offers'}, session ${answered.session_id}.`,
    );
    if (!answered.isCounted) lines.push('The browser says that it is a bot: shown, not counted.');
  }
  return lines;
}

/** One event of a mount as a sentence. */
export function sentenceOf(event: MountEvent): string {
  return inOneStop(wordsOf(event));
}

/** What others say may end in a stop of its own. */
function inOneStop(text: string): string {
  return text.replace(/\.*$/, '.');
}

function wordsOf(event: MountEvent): string {
  switch (event.type) {
    case 'tracked':
      return `${event.event.event_name} is tracked`;
    case 'delivered':
      return `${event.count} delivered`;
    case 'retried':
      return `${event.count} kept for another try: ${event.reason}`;
    case 'paused':
      return `Sending pauses: ${event.reason}`;
    case 'dropped':
      return `${event.count} dropped: ${event.why}`;
    case 'dead_letter':
      return `${event.event.event_name} will never be accepted: ${event.reason}`;
    case 'left_out':
      return `Offer ${event.offer_id} is left out: ${event.reason}`;
    case 'dismiss':
      return `Closed by ${event.by}`;
    case 'footer':
      return `The footer's ${event.link} link was followed`;
    case 'error':
      return 'message' in event ? `${event.code}: ${event.message}` : `Error: ${event.reason}`;
    case 'rendered':
    case 'no_offers':
    case 'consent_denied':
    case 'already_shown':
      return `${event.code}: ${event.message}`;
    case 'impression':
    case 'view':
    case 'click':
    case 'decline':
    case 'next':
    case 'back':
    case 'copy':
    case 'product':
      return `${event.type} of offer ${event.offer_id}`;
  }
}
