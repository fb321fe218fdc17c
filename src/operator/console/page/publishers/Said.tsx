import type { JSX } from 'preact';
import type { Outcome } from './addItems.ts';

/** What became of an item. */
export function Said({ outcome }: { readonly outcome: Outcome }): JSX.Element {
  switch (outcome.status) {
    case 'created':
      return <span class="good">requested</span>;
    case 'duplicate':
      return <span>exists already: {outcome.reason}</span>;
    case 'invalid':
      return <span class="bad">refused: {outcome.reason}</span>;
    case 'unsent':
      return <span class="bad">not sent: {outcome.reason}</span>;
  }
}
