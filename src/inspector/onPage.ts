import { dom } from '../dom/dom.ts';
import type { PageForcing } from '../wire/scenarios/forcing.ts';
import type { MountOptions } from './mount.ts';

/** Begins the name of every queue's database. */
export const QUEUE_PREFIX = 'offerlet-queue';

/** Forces what lies outside a mount's options; forcing nothing puts it back as it was. */
export interface OnPage {
  force(page: PageForcing): void;
}

/** Prepares what the page can be forced to. */
export function openOnPage(): OnPage {
  const html = dom.documentElement;
  let isRefusing = false;
  let dir: string | null | undefined;

  if (typeof IDBFactory === 'function') {
    const { open } = IDBFactory.prototype;
    IDBFactory.prototype.open = function (...given): IDBOpenDBRequest {
      if (isRefusing && given[0].startsWith(QUEUE_PREFIX))
        throw new DOMException('The inspector refuses IndexedDB.', 'SecurityError');
      return open.apply(this, given);
    };
  }

  return {
    force(page) {
      isRefusing = page.storage === 'refused';
      if (page.dir && dir === undefined) dir = html.getAttribute('dir');
      if (page.dir) html.setAttribute('dir', page.dir);
      else if (dir) html.setAttribute('dir', dir);
      else if (dir === null) html.removeAttribute('dir');
      if (!page.dir) dir = undefined;
    },
  };
}

/** The options of a mount under force; what is not forced is as the page wrote it. */
export function forcedOptions(own: MountOptions, page: PageForcing): MountOptions {
  const { view, mode, theme, locale, consent } = page;
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
    target: own.target ?? (mode === 'INLINE' ? place() : undefined),
    consent:
      consent === 'pending'
        ? new Promise<boolean>(() => {})
        : consent === 'denied'
          ? false
          : (own.consent ?? !('globalPrivacyControl' in navigator && navigator.globalPrivacyControl)),
  };
}

/** INLINE offers on a page that has no place for them stand at the end of its main part. */
function place(): Element {
  const known = dom.querySelector('[data-offerlet-inspector-place]');
  if (known) return known;
  const made = dom.createElement('div');
  made.setAttribute('data-offerlet-inspector-place', '');
  return (dom.querySelector('main') ?? dom.body).appendChild(made);
}
