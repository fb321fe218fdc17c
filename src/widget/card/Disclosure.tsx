import type { JSX } from 'preact';
import type { DisclosureDetails } from '../../wire/offers/response.ts';
import type { Messages } from '../messages.ts';
import { OutsideLink } from '../OutsideLink.tsx';

/** Characters that fit on two lines of most cards. Longer texts are clamped to that, and expand. */
const SHORT = 90;

/** The legal text of an offer: a line or two, or a summary that expands in place. */
export function Disclosure({ details, messages }: { details: DisclosureDetails; messages: Messages }): JSX.Element {
  const { copy, content, target_url } = details;
  const link = (text: string): JSX.Element | undefined | '' =>
    target_url && (
      <OutsideLink href={target_url} title={messages.newTab}>
        {text}
      </OutsideLink>
    );
  if (!content && copy.length <= SHORT) {
    return (
      <p class="small" part="disclosure" dir="auto">
        {link(copy) ?? copy}
      </p>
    );
  }
  return (
    <details class="small" part="disclosure">
      <summary dir="auto">
        <span>{copy}</span>
      </summary>
      <p dir="auto">
        {content} {link(messages.terms)}
      </p>
    </details>
  );
}
