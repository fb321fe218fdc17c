import type { AnchorHTMLAttributes, JSX } from 'preact';

/** A link to another site in a new tab. The site learns the origin it was opened from, not the order page's URL with its tokens. */
export function OutsideLink(props: AnchorHTMLAttributes & { href: string }): JSX.Element {
  return <a target="_blank" rel="noopener sponsored nofollow" referrerpolicy="strict-origin" {...props} />;
}
