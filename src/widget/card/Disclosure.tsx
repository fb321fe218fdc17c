import type { JSX } from 'preact';
import type { DisclosureDetails } from '../../wire/offers/response.ts';
import type { Messages } from '../messages/messages.ts';
import { OutsideLink } from '../OutsideLink.tsx';

/** The legal text of an offer: one line, or a summary that expands in place. */
export function Disclosure({ details, messages }: { details: DisclosureDetails; messages: Messages }): JSX.Element {
  const { copy, content, target_url } = details;
  if (!content) {
    return (
      <p class="small" part="disclosure" dir="auto">
        {target_url ? (
          <OutsideLink href={target_url} title={messages.newTab}>
            {copy}
          </OutsideLink>
        ) : (
          copy
        )}
      </p>
    );
  }
  return (
    <details class="small" part="disclosure">
      <summary dir="auto">{copy}</summary>
      <p dir="auto">
        {content}{' '}
        {target_url && (
          <OutsideLink href={target_url} title={messages.newTab}>
            {messages.terms}
          </OutsideLink>
        )}
      </p>
    </details>
  );
}
