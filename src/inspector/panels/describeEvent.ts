import type { PageEvent } from '../../session/events.ts';

/** Describes one event of a mount in a sentence. */
export function describeEvent(event: PageEvent): string {
  return endWithStop(describe(event));
}

/** Ends a text with exactly one full stop: foreign text may have its own. */
export function endWithStop(text: string): string {
  return text.replace(/\.*$/, '.');
}

function describe(event: PageEvent): string {
  switch (event.type) {
    case 'tracked':
      return `${event.event.event_name} tracked`;
    case 'delivered':
      return `${event.count} delivered`;
    case 'retried':
      return `${event.count} kept for another try: ${event.reason}`;
    case 'paused':
      return `Sending is paused: ${event.reason}`;
    case 'dropped':
      return `${event.count} dropped: ${event.reason}`;
    case 'dead_letter':
      return `${event.event.event_name} will never be accepted: ${event.reason}`;
    case 'leftOut':
      return `Offer ${event.offer_id} left out: ${event.reason}`;
    case 'dismiss':
      return `Closed by ${event.by}`;
    case 'footer':
      return `The ${event.link} link in the footer was opened`;
    case 'error':
      return `Error: ${event.reason}`;
    case 'outcome':
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
