import { dom } from '../../dom/dom.ts';
import type { PageForcing } from '../../wire/scenarios/forcing.ts';
import type { QUEUE_PREFIX as QueuePrefix } from '../../queue/rows/rows.ts';
import type { ShowOptions } from '../../page/showOptions.ts';

/** The start of the name of every queue's database. The type keeps it equal to the queue's own constant. */
const QUEUE_PREFIX: typeof QueuePrefix = 'offerlet-queue';

/** Forces what is not an option of a mount. Forcing nothing restores the page. */
export interface PageForcer {
  force(page: PageForcing): void;
}

/** Prepares the page for forcing. */
export function openPageForcing(): PageForcer {
  const html = dom.documentElement;
  let isRefusing = false;
  /** The page's own `dir` while another one is forced; null when it has none. */
  let ownDir: string | null | undefined;

  if (typeof IDBFactory === 'function') {
    const { open } = IDBFactory.prototype;
    IDBFactory.prototype.open = function (...given): IDBOpenDBRequest {
      if (isRefusing && given[0].startsWith(QUEUE_PREFIX))
        throw new DOMException('The inspector refuses IndexedDB.', 'SecurityError');
      return open.apply(this, given);
    };
  }

  return {
    force({ storage, dir }) {
      isRefusing = storage === 'refused';
      if (dir) {
        if (ownDir === undefined) ownDir = html.getAttribute('dir');
        html.setAttribute('dir', dir);
      } else if (ownDir !== undefined) {
        if (ownDir === null) html.removeAttribute('dir');
        else html.setAttribute('dir', ownDir);
        ownDir = undefined;
      }
    },
  };
}

/** Returns a mount's options with what is forced. Everything else is as the page wrote it. */
export function forcedOptions(own: ShowOptions, page: PageForcing): ShowOptions {
  const { view, mode, theme, locale } = page;
  const placement_details = {
    ...own.request?.placement_details,
    ...(view && { view }),
    ...(mode && { display_mode: mode }),
  };
  return {
    ...own,
    relay: page.relay ? '' : own.relay,
    request: { ...own.request, placement_details },
    theme: theme ?? own.theme,
    locale: locale ?? own.locale,
    target: own.target ?? (mode === 'INLINE' ? findTarget() : undefined),
    // An option that is absent stays absent: it means the default.
    ...(('consent' in own || page.consent) && { consent: forcedConsent(own.consent, page.consent) }),
  };
}

function forcedConsent(own: ShowOptions['consent'], forced: PageForcing['consent']): ShowOptions['consent'] {
  if (forced === 'pending') return 'required';
  if (forced === 'denied') return false;
  return own;
}

/** Returns a target for INLINE offers on a page that has none: at the end of its main part. */
function findTarget(): Element {
  const known = dom.querySelector('[data-offerlet-inspector-place]');
  if (known) return known;
  const target = dom.createElement('div');
  target.setAttribute('data-offerlet-inspector-place', '');
  return (dom.querySelector('main') ?? dom.body).appendChild(target);
}
