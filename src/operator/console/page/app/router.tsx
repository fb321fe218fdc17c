import { createContext, type ComponentChildren, type JSX } from 'preact';
import { useContext, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ConsoleContext } from '../../protocol.ts';
import { isMoney, labelOf } from '../../../reports/format.ts';
import { BASE } from './call.ts';

const CHANGED = 'console:url';
/** Asks what is on the page whether it may be left; it prevents the default when not. */
const LEAVING = 'console:leaving';

/** The page's place: its path below the console's, and its query. */
export interface Place {
  readonly path: string;
  readonly params: URLSearchParams;
}

/** The props of every page. */
export interface PageProps {
  readonly place: Place;
  readonly session: ConsoleContext;
}

/** Returns the page's place, and renders again when it changes. */
export function usePlace(): Place {
  const [href, setHref] = useState(location.href);
  const shown = useRef({ index: historyIndex(), page: pageOf(location.href) });
  const tops = useRef(new Map<number, number>());
  useLayoutEffect(() => {
    const update = ({ type }: Event): void => {
      const { index, page } = shown.current;
      tops.current.set(index, scrollY);
      shown.current = { index: historyIndex(), page: pageOf(location.href) };
      setHref(location.href);
      if (type === 'popstate') scrollBack(tops.current.get(historyIndex()) ?? 0);
      else if (page.replace(/\?.*/, '') !== shown.current.page.replace(/\?.*/, '')) scrollTo(0, 0);
    };
    // The browser has moved already, so what may not be left is returned to.
    const move = (event: Event): void => {
      const { index, page } = shown.current;
      if (pageOf(location.href) === page) {
        // A link within the page has made a separate history entry.
        if (history.state === null) history.replaceState({ index: index + 1 }, '');
        update(event);
      } else if (mayLeave()) update(event);
      else history.go(index - historyIndex());
    };
    addEventListener('popstate', move);
    addEventListener(CHANGED, update);
    return () => {
      removeEventListener('popstate', move);
      removeEventListener(CHANGED, update);
    };
  }, []);
  const url = new URL(href);
  return { path: url.pathname.slice(BASE.length).replace(/\/$/, ''), params: url.searchParams };
}

/** Goes to a place of the console, without loading the page. */
export function go(to: string, { replace = false } = {}): void {
  if (!mayLeave()) return;
  if (replace) history.replaceState(history.state, '', BASE + to);
  else history.pushState({ index: historyIndex() + 1 }, '', BASE + to);
  dispatchEvent(new Event(CHANGED));
}

/** Asks before the page is left with something that is not saved. */
export function useUnsaved(isChanged: boolean, question: string): void {
  // With the change itself, not after the next paint: the page may be closed before that.
  useLayoutEffect(() => {
    if (!isChanged) return undefined;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    const ask = (event: Event): void => {
      if (!confirm(question)) event.preventDefault();
    };
    addEventListener('beforeunload', warn);
    addEventListener(LEAVING, ask);
    return () => {
      removeEventListener('beforeunload', warn);
      removeEventListener(LEAVING, ask);
    };
  }, [isChanged]);
}

function mayLeave(): boolean {
  return dispatchEvent(new Event(LEAVING, { cancelable: true }));
}

/** How many entries of the history the console made before this one. */
function historyIndex(): number {
  return (history.state as { readonly index?: number } | null)?.index ?? 0;
}

/** Scrolls to where a page was left once it is long enough again, unless the reader does something first. */
function scrollBack(top: number): void {
  const observer = new ResizeObserver(() => {
    scrollTo(0, top);
    if (scrollY > top - 1) observer.disconnect();
  });
  observer.observe(document.body);
  for (const event of ['wheel', 'keydown', 'pointerdown', CHANGED, 'popstate'])
    addEventListener(event, () => observer.disconnect(), { once: true });
}

function pageOf(href: string): string {
  return href.replace(/#.*/, '');
}

/** The channel's name, for the titles of the pages. */
export const ChannelName = createContext('offerlet');

/** The label of amounts, such as EUR; null when nothing names it. */
export const Currency = createContext<string | null>(null);

/** Returns what names a metric or a breakdown, amounts with their currency. */
export function useLabels(): (name: string) => string {
  const currency = useContext(Currency);
  return (name) => (currency !== null && isMoney(name) ? `${labelOf(name)} (${currency})` : labelOf(name));
}

/** Titles the page: each place of the console has its own title. */
export function useTitle(title: string): void {
  const channel = useContext(ChannelName);
  useEffect(() => {
    document.title = `${title} · ${channel} · offerlet console`;
  }, [title, channel]);
}

/** Moves the focus to the heading of a page that was navigated to, as loading it would. */
export function useFocusAtHeading(path: string): void {
  const shown = useRef(path);
  useEffect(() => {
    if (shown.current !== path) focusHeading();
    shown.current = path;
  }, [path]);
}

/** Moves the focus to the page's heading: what had it goes. */
export function focusHeading(): void {
  const main = document.getElementById('main');
  (main?.querySelector<HTMLElement>('h1[tabindex]') ?? main)?.focus({ preventScroll: true });
}

interface LinkProps {
  readonly to: string;
  readonly class?: string;
  readonly tabIndex?: number;
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
