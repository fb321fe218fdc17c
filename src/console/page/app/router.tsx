import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { BASE } from './call.ts';

const CHANGED = 'console:url';
/** Asks what is on the page whether it may be left; it prevents the default when not. */
export const LEAVING = 'console:leaving';

/** The page's place: its path below the console's, and its query. */
export interface Place {
  readonly path: string;
  readonly params: URLSearchParams;
}

/** Returns the page's place, and renders again when it changes. */
export function usePlace(): Place {
  const [href, setHref] = useState(location.href);
  useEffect(() => {
    const update = (): void => setHref(location.href);
    addEventListener('popstate', update);
    addEventListener(CHANGED, update);
    return () => {
      removeEventListener('popstate', update);
      removeEventListener(CHANGED, update);
    };
  }, []);
  const url = new URL(href);
  return { path: url.pathname.slice(BASE.length).replace(/\/$/, ''), params: url.searchParams };
}

/** Goes to a place of the console, without loading the page. */
export function go(to: string, { replace = false } = {}): void {
  if (!dispatchEvent(new Event(LEAVING, { cancelable: true }))) return;
  if (replace) history.replaceState(null, '', BASE + to);
  else history.pushState(null, '', BASE + to);
  dispatchEvent(new Event(CHANGED));
}

interface LinkProps {
  readonly to: string;
  readonly class?: string;
  readonly 'aria-current'?: 'page' | 'true' | undefined;
  readonly onClick?: (event: MouseEvent) => void;
  readonly children?: ComponentChildren;
}

/** A link to a place of the console; a new tab opens it as any other link. */
export function Link({ to, onClick, ...rest }: LinkProps): JSX.Element {
  return (
    <a
      {...rest}
      href={BASE + to}
      onClick={(event) => {
        onClick?.(event);
        if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        go(to);
      }}
    />
  );
}
