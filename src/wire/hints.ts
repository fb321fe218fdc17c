import { DISPLAY_MODES, VIEWS } from './offers/request.ts';

/** What each option has to be. `name` is how the author of the page writes it; `base` and `given` are empty where there is none. */
const EXPECTED = {
  relay: (_: string, base: string) =>
    `the ${base ? 'path' : 'URL'} where your relay is mounted, such as "${base ? '' : 'https://shop.example'}/offers"`,
  request: () => 'values that JSON knows',
  view: (_: string, given: string) => `one of ${VIEWS.join(', ')}${quoted(given)}`,
  display_mode: (_: string, given: string) => `one of ${DISPLAY_MODES.join(', ')}${quoted(given)}`,
  consent: (_: string, prefix: string) =>
    prefix ? 'required, granted or denied' : "true, false, 'required', a promise or a source (see offerlet/consent)",
  email_hash: () =>
    'the SHA-256 of the email in lower-case hex. Browsers hash an email themselves, on https pages only',
  target: () => 'a selector, such as "#offers"',
  fetch: () => 'a function like the global fetch: there is none here, or the option is no function',
  headers: () => 'a function that returns the headers',
  storage: () => 'an object with getItem, setItem, removeItem',
} as const;

/** What to do about an outcome, by what is wrong. */
const HINTS = {
  option: (option: string, name: string, more = '') => {
    const expected = option in EXPECTED ? EXPECTED[option as keyof typeof EXPECTED](name, more) : SHOPPER;
    return `Set ${name} to ${expected}.`;
  },
  identifiers: (names: string) => `Set one of ${names}.`,
  unreadable: () => 'Pass plain values: reading one of them throws.',
  secret: () => 'Remove it, revoke it, and give the new key to the relay only.',
  server: () => 'Call showOffers in the browser only.',
  place: (name: string) =>
    `Set ${name} to the element for the offers, or its selector, and have it on the page before it has loaded.`,
  closed: () => 'Use another order_id to show them again.',
  bug: () => 'Please report this.',
  late: () => 'Check that the relay and the network behind it are up.',
  policy: (origin: string) => `Add ${origin} to connect-src.`,
  unreachable: () =>
    'Check that the relay is up, allows this origin, does not redirect, and is not blocked in this browser.',
  path: () => 'Check that an offerlet relay is mounted at this path.',
  status: (status: string, ...paths: string[]) => {
    const fields = [...new Set(paths.filter(Boolean))].join(', ');
    if (fields) return `Correct ${fields} on the page or in the context of the relay.`;
    if (status === '401' || status === '403')
      return 'Check the key of the relay, its environment, and whom the relay authorizes. Its log says more.';
    if (status === '404') return 'Check the path: the relay is not mounted there.';
    if (status === '429') return 'The limit of requests is reached. Wait, or raise the limit of the relay.';
    return 'Look at the log of the relay, and check that the network behind it is up.';
  },
};

const SHOPPER = 'the value that identifies the shopper';

/** Names a hint, with what its sentence needs. */
export type Hint = readonly [name: keyof typeof HINTS, ...values: string[]];

/** Returns the sentence of a hint. */
export function sayHint([name, ...values]: Hint): string {
  return (HINTS[name] as (...values: string[]) => string)(...values);
}

/** Quotes what the author of the page wrote. */
function quoted(given: string): string {
  return given && `, not "${given.slice(0, 40)}"`;
}
