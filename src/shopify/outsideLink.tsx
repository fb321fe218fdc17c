import type { ComponentChild } from 'preact';

/** Returns a link that opens in a new tab, or its text alone when there is no URL. */
export function outsideLink(text: string, href: string | undefined, onClick?: () => void): ComponentChild {
  return href ? (
    <s-link href={href} target="_blank" onClick={onClick}>
      {text}
    </s-link>
  ) : (
    text
  );
}
