import type { AnchorHTMLAttributes, JSX } from 'preact';

/** A real link to somebody else's page: it learns which site it was opened from, not the address with its tokens. */
export function OutsideLink(props: AnchorHTMLAttributes & { href: string }): JSX.Element {
  return <a target="_blank" rel="noopener sponsored nofollow" referrerpolicy="strict-origin" {...props} />;
}
