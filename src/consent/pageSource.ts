import type { ConsentSource } from '../session/consent.ts';

/** Passes on what a platform says. Anything but `true` and `false` means that it has not decided yet. */
export type Tell = (given: unknown) => void;

/**
 * Returns a source that looks at a platform at once, for the decision that stands, and after each of its events. Consent
 * that was given ends with anything but `true`. A platform that throws has denied it.
 */
export function pageSource(
  name: string,
  /** Names of events of the window or the document, or a function that subscribes and cannot unsubscribe. */
  events: readonly string[] | ((ask: () => void) => void),
  look: (tell: Tell) => void | Promise<void>,
): ConsentSource {
  const source: ConsentSource = (decide) => {
    let isGiven = false;
    /** An answer that something newer has overtaken is ignored. */
    let turn = 0;

    function ask(): void {
      const asked = ++turn;
      const tell: Tell = (given) => {
        if (asked === turn && (typeof given === 'boolean' || isGiven)) decide((isGiven = given === true));
      };
      try {
        look(tell)?.catch(() => tell(false));
      } catch {
        tell(false);
      }
    }

    ask();
    const names = typeof events === 'function' ? (events(ask), []) : events;
    // While it is captured, an event of the document passes the window as well.
    for (const event of names) globalThis.addEventListener(event, ask, true);
    return () => {
      // It equals nothing, not even itself, so nothing is passed on any more.
      turn = NaN;
      for (const event of names) globalThis.removeEventListener(event, ask, true);
    };
  };
  return Object.assign(source, { source: name });
}
