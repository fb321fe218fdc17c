import type { ConsentSource } from '../session/consent.ts';

/**
 * Decides by a consent type of Google Consent Mode, such as `ad_storage`: by every update, and until then by the defaults if
 * they grant it in every region. A default of `denied` waits for an update, and one that comes late takes the consent back.
 */
export function googleConsentMode(type: string): ConsentSource {
  const source: ConsentSource = (decide) => {
    const page = globalThis as { dataLayer?: unknown[] };
    // As Google's own snippet does, whichever comes first.
    const layer = (page.dataLayer ??= []);
    const { push } = layer;
    let isUpdated = false;
    let isGranted: boolean | undefined;
    let isByDefault = false;
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

    const listen = (...commands: unknown[]): number => {
      const length = push.apply(layer, commands);
      commands.forEach(tryToRead);
      return length;
    };
    layer.forEach(tryToRead);
    layer.push = listen;
    return () => {
      clearTimeout(timer);
      // Tag managers wrap it as well: theirs stays, and what we do in it ends.
      if (layer.push === listen) layer.push = push;
      decide = () => {};
    };
  };
  return Object.assign(source, { source: `googleConsentMode(${type})` });
}

/** Whether it is an array, or the `arguments` of a function, of whichever frame. */
function isList(value: unknown): value is ArrayLike<unknown> {
  return Array.isArray(value) || Object.prototype.toString.call(value) === '[object Arguments]';
}
