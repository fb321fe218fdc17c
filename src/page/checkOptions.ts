import { own } from '../wire/json.ts';
import { looksSecret } from '../wire/keys.ts';
import { oneOf } from '../wire/oneOf.ts';
import { DISPLAY_MODES, IDENTIFIERS, VIEWS, type DisplayMode, type View } from '../wire/offers/request.ts';
import { outcome, type Outcome } from './outcome.ts';

/** What the options come to: where to ask, and how to show. */
export interface Settings {
  /** The relay's address without a slash at its end. */
  readonly relay: string;
  readonly view: View;
  readonly mode: DisplayMode;
}

/**
 * The settings, or the outcome that says what to write instead. It never repeats a value: one of them may be a secret.
 * No identifier is fine, for the merchant's server may know the shopper; two are not, for networks refuse them.
 */
export function checkOptions(options: unknown, base: string | undefined): Settings | Outcome {
  if (!base) return outcome('invalid_config', 'there is no page here', 'show offers in the browser only');
  if (hasSecret(options)) {
    return outcome(
      'invalid_config',
      'a secret key is in the page',
      'remove it, revoke it, and give its successor to the relay only',
    );
  }
  const request = own(options, 'request');
  const placement = own(request, 'placement_details');
  const user = own(request, 'user_details');
  const given = IDENTIFIERS.filter((name) => own(user, name) !== undefined);
  const [name = ''] = given;
  const shopper = textOf(own(user, name));
  const relay = readAddress(own(options, 'relay'), base);
  const view = oneOf(VIEWS, own(placement, 'view'));
  const mode = oneOf(DISPLAY_MODES, own(placement, 'display_mode'));
  const most = own(options, 'maxOffers');

  if (!relay) return wrong('relay', '"/offers", where your relay is mounted');
  if (!view) return wrong('view', `one of ${VIEWS.join(', ')}`);
  if (!mode) return wrong('display_mode', `one of ${DISPLAY_MODES.join(', ')}`);
  if (mode === 'INLINE' && !own(options, 'target')) return wrong('target', '"#offers", a selector of the place');
  if (most !== undefined && !(Number.isInteger(most) && Number(most) > 0))
    return wrong('maxOffers', 'a whole number above 0');
  if (given.length > 1) return wrong('user_details', `exactly one of ${given.join(', ')}`);
  if (name && (!shopper || (name === 'email' && !shopper.includes('@')))) return wrong(name, 'what names the shopper');
  if (name === 'email_hash' && !/^[0-9a-f]{64}$/.test(shopper))
    return wrong(name, 'the SHA-256 in lower-case hex, or email');
  if (name === 'email' && !globalThis.crypto?.subtle)
    return wrong('email_hash', 'the SHA-256 in lower-case hex, for browsers hash an email on https only');
  return { relay, view, mode };
}

/** The outcome for an option that is not there or not as it must be. */
export function wrong(name: string, expected: string): Outcome {
  return outcome('invalid_config', `${name} is missing or wrong`, `write ${name}: ${expected}`);
}

function readAddress(relay: unknown, base: string): string | undefined {
  try {
    const { protocol, origin, pathname } = new URL(textOf(relay), textOf(relay) && base);
    return protocol.startsWith('http') ? origin + pathname.replace(/\/+$/, '') : undefined;
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

function hasSecret(options: unknown): boolean {
  try {
    // Frameworks hang their whole tree on an element: that is no configuration.
    const text = JSON.stringify(options, (_, value: unknown) => (value instanceof Node ? undefined : value)) ?? '';
    return looksSecret(text) || /"((x-)?api[-_]?key|secret([-_]?key)?)":/i.test(text);
  } catch {
    return false;
  }
}
