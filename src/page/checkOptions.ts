import { isObject, own } from '../wire/json.ts';
import { looksSecret } from '../wire/keys.ts';
import { oneOf } from '../wire/one-of.ts';
import { DISPLAY_MODES, IDENTIFIERS, VIEWS, type DisplayMode, type View } from '../wire/recommendations.ts';
import { outcome, type Outcome } from './outcome.ts';

/** What the options come to: where to ask, and how to show. */
export interface Settings {
  /** The relay's address without a slash at its end. */
  readonly relay: string;
  readonly view: View;
  readonly mode: DisplayMode;
}

/** The settings, or the outcome that says what to write instead. It never repeats a value: one of them may be a secret. */
export function checkOptions(options: unknown, base: string): Settings | Outcome {
  if (hasSecret(options, 0)) {
    return wrong(
      'A secret key is in the page',
      'remove it, replace it at the network (it is no longer secret), and give it to the relay only',
    );
  }
  const request = own(options, 'request');
  const placement = own(request, 'placement_details');
  const relay = address(own(options, 'relay'), base);
  const view = oneOf(VIEWS, own(placement, 'view'));
  const mode = oneOf(DISPLAY_MODES, own(placement, 'display_mode'));
  if (!relay) return wrong('relay is no http address', 'write the path of your relay: relay: "/offers"');
  if (!view) return wrong('view is missing or unknown', `view is one of ${VIEWS.join(', ')}`);
  if (!mode) return wrong('display_mode is missing or unknown', `display_mode is one of ${DISPLAY_MODES.join(', ')}`);
  if (mode === 'INLINE' && !own(options, 'target'))
    return wrong('INLINE has no target', 'write where: target: "#offers"');
  const most = own(options, 'maxOffers');
  if (most !== undefined && !(Number.isInteger(most) && Number(most) > 0))
    return wrong('maxOffers is no whole number above 0', 'write maxOffers: 3');
  return checkShopper(own(request, 'user_details')) ?? { relay, view, mode };
}

/** No identifier is fine: the merchant's server may know the shopper. Two are not: networks refuse them. */
function checkShopper(user: unknown): Outcome | undefined {
  const given = IDENTIFIERS.filter((name) => own(user, name) !== undefined);
  const text = own(user, given[0] ?? '');
  if (given.length > 1) return wrong(`${given.join(' and ')} are given`, 'name the shopper by exactly one of them');
  if (given.length > 0 && !(typeof text === 'string' && text.trim()))
    return wrong(`${given[0]} is empty`, 'give its text or leave it out');
  if (given[0] === 'email' && !String(text).includes('@'))
    return wrong('email is no e-mail address', 'write email: "anna@example.com", or email_hash');
  if (given[0] === 'email_hash' && !/^[0-9a-f]{64}$/.test(String(text))) {
    return wrong(
      'email_hash is no SHA-256',
      'give 64 lower-case hex digits of the trimmed, lower-cased e-mail, or email: it is hashed here',
    );
  }
  return undefined;
}

function wrong(message: string, hint: string): Outcome {
  return outcome('invalid_config', message, hint);
}

function address(relay: unknown, base: string): string | undefined {
  try {
    const { protocol, origin, pathname, username } = new URL(
      typeof relay === 'string' && relay.trim() ? relay : '::',
      base,
    );
    return /^https?:$/.test(protocol) && !username ? origin + pathname.replace(/\/+$/, '') : undefined;
  } catch {
    return undefined;
  }
}

/** Looks through plain objects and lists only: an element that a framework hangs its whole tree on is no configuration. */
function hasSecret(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return looksSecret(value);
  if (depth > 8 || !(Array.isArray(value) || (isObject(value) && isPlain(value)))) return false;
  return Object.entries(value).some(
    ([name, inner]) =>
      /^(x-)?api[-_]?key$|^secret([-_]?key)?$/i.test(name) || looksSecret(name) || hasSecret(inner, depth + 1),
  );
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
