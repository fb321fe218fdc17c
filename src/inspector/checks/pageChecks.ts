import { dom } from '../../dom/dom.ts';
import type { Check } from './check.ts';

/** Checks that the script is on the page only once. */
export function scriptCheck(): Check {
  const title = 'Script';
  const scripts = [...dom.querySelectorAll<HTMLScriptElement>('script[src]')].filter(({ src }) =>
    /\/offerlet(\.min)?\.js(\?|$)/.test(src),
  );
  if (scripts.length > 1)
    return {
      state: 'bad',
      title,
      text: `offerlet.js is on this page ${scripts.length} times. The first one works, the others do nothing: remove them.`,
    };
  return {
    state: 'good',
    title,
    text: scripts[0] ? 'One script tag.' : "No script tag: the offers come from the page's own bundle.",
  };
}

/** Reports the page's own modal dialogs, which the widget's layers wait for. */
export function modalCheck(): Check {
  const title = 'Dialogs of the page';
  const open = [...dom.querySelectorAll('dialog:modal, [aria-modal=true]')].filter(
    (dialog) => dialog.getClientRects().length > 0,
  );
  return open.length > 0
    ? { state: 'note', title, text: `${open.length} open: OVERLAY, FULLSCREEN and PULLUP wait until it is closed.` }
    : { state: 'good', title, text: 'None is open.' };
}

/** Reports what limits the widget in this window. */
export function environmentCheck(): Check {
  const title = 'Environment';
  const notes = [
    window === window.top ? '' : 'The page is in a frame: browsers measure visibility only within it.',
    isSecureContext ? '' : 'The page is not on https: responses are not remembered, and tabs do not share one sender.',
    dom.visibilityState === 'visible' ? '' : 'The tab is hidden: nothing counts as seen.',
  ].filter(Boolean);
  return notes.length > 0
    ? { state: 'note', title, text: notes.join(' ') }
    : { state: 'good', title, text: 'A secure, visible page that is not in a frame.' };
}
