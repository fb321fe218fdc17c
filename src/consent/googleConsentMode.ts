import type { ConsentSource } from '../session/consent.ts';

/** Where the page keeps its commands. */
export interface ConsentModeOptions {
  /** The name of the page's data layer, if it is not `dataLayer`. */
  readonly dataLayer?: string | undefined;
}

/** What Google's tags keep: the state after all updates, even those from a tag manager's template. */
interface TagData {
  readonly ics?: { readonly entries?: Readonly<Record<string, { readonly update?: unknown } | undefined>> };
}

/** Milliseconds between polls of state that changes without an event. */
const POLL_MS = 250;

/**
 * Decides by a consent type of Google Consent Mode, such as `ad_storage`: by every update, and until then by the defaults if
 * they grant it in every region. A default of `denied` waits for an update, and one that comes late takes the consent back.
 */
export function googleConsentMode(type: string, { dataLayer = 'dataLayer' }: ConsentModeOptions = {}): ConsentSource {
  const source: ConsentSource = (decide) => {
    const page = globalThis as unknown as Record<string, unknown[] | undefined> & { google_tag_data?: TagData };
    let layer: unknown[] = [];
    let unhook = (): void => {};
    let isUpdated = false;
    let isGranted: boolean | undefined;
    let isByDefault = false;
    let tagState: unknown;
    let timer: ReturnType<typeof setTimeout> | undefined;

    /** A command is the `arguments` of `gtag('consent', 'update', { ad_storage: 'granted' })`. */
    function read(command: unknown): void {
      const [name, action, state] = isList(command) ? Array.from(command) : [];
      if (name !== 'consent') return;
      const { region, [type]: value } = Object(state) as Record<string, unknown>;
      if (typeof value !== 'string') return;
      if (action === 'update') {
        isUpdated = true;
        decide(value === 'granted');
      } else if (action === 'default') {
        isGranted = value === 'granted' ? (isGranted ?? (region ? undefined : true)) : false;
        // A snippet may have one default for each region.
        timer ??= setTimeout(() => isUpdated || (isGranted && decide((isByDefault = true))));
        if (isByDefault && !isUpdated && !isGranted) decide((isByDefault = false));
      }
    }

    /** What the page has pushed may throw when it is read, and its own `push` must not. */
    function tryToRead(command: unknown): void {
      try {
        read(command);
      } catch {
        // Then it says nothing.
      }
    }

    /** Reads what is in the layer, and listens to what is pushed. Does it anew when the page has replaced its layer. */
    function hook(): void {
      // As Google's own snippet does, whichever comes first.
      const current = (page[dataLayer] ??= []);
      if (current === layer) return;
      unhook();
      layer = current;
      const { push } = current;
      const listen = (...commands: unknown[]): number => {
        const length = push.apply(current, commands);
        if (current === layer) commands.forEach(tryToRead);
        return length;
      };
      current.forEach(tryToRead);
      current.push = listen;
      // Tag managers wrap it as well: theirs stays, and what we do in it ends.
      unhook = () => {
        if (current.push === listen) current.push = push;
      };
    }

    /** Templates of a tag manager update the state without the data layer. */
    function readTagState(): void {
      const { update } = page.google_tag_data?.ics?.entries?.[type] ?? {};
      if (update === tagState) return;
      // What is found first may be older than the last update of the data layer, so it can't override a denial.
      const isOlder = tagState === undefined && isUpdated && update === true;
      tagState = update;
      if (typeof update !== 'boolean' || isOlder) return;
      isUpdated = true;
      decide(update);
    }

    function look(): void {
      try {
        hook();
        readTagState();
      } catch {
        // A page may have made either of them unreadable.
      }
    }

    look();
    const poll = setInterval(look, POLL_MS);
    return () => {
      clearTimeout(timer);
      clearInterval(poll);
      unhook();
      layer = [];
    };
  };
  return Object.assign(source, { source: `googleConsentMode(${type})` });
}

/** Whether it is an array, or the `arguments` of a function, of whichever frame. */
function isList(value: unknown): value is ArrayLike<unknown> {
  return Array.isArray(value) || Object.prototype.toString.call(value) === '[object Arguments]';
}
