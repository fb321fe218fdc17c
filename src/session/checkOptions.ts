import { own } from '../wire/json.ts';
import { looksSecret } from '../wire/keys.ts';
import { DISPLAY_MODES, IDENTIFIERS, VIEWS, type DisplayMode, type View } from '../wire/offers/request.ts';
import { oneOf } from '../wire/oneOf.ts';
import { outcome, type Failure } from './outcome.ts';

/** The placement that valid options describe: the relay to call, and what it is asked for. */
export interface Placement {
  /** The relay's URL, without a trailing slash. */
  readonly relay: string;
  readonly view: View;
  readonly mode: DisplayMode;
}

/**
 * Returns the placement, or the outcome that says what to change. It never repeats a value: one of them may be a secret.
 * An identifier of the shopper may be missing, because the merchant's server may know it; networks refuse two of them.
 */
export function checkOptions(options: unknown, base: string | undefined): Placement | Failure {
  if (hasSecret(options)) {
    return outcome(
      'invalid_config',
      'The options contain a secret key',
      'Remove it, revoke it, and give the new key to the relay only.',
    );
  }
  const request = own(options, 'request');
  const placement = own(request, 'placement_details');
  const user = own(request, 'user_details');
  const given = IDENTIFIERS.filter((name) => own(user, name) !== undefined);
  const [name = ''] = given;
  const shopper = textOf(own(user, name));
  const relay = readUrl(textOf(own(options, 'relay')), base);
  const view = oneOf(VIEWS, own(placement, 'view'));
  const mode = oneOf(DISPLAY_MODES, own(placement, 'display_mode'));
  const most = own(options, 'maxOffers');

  if (!relay) return invalid('relay', 'the path where your relay is mounted, such as "/offers"');
  if (!view) return invalid('view', `one of ${VIEWS.join(', ')}`);
  if (!mode) return invalid('display_mode', `one of ${DISPLAY_MODES.join(', ')}`);
  if (most !== undefined && !(Number.isInteger(most) && Number(most) > 0))
    return invalid('maxOffers', 'a whole number above 0');
  if (given.length > 1) return invalid('user_details', `exactly one of ${given.join(', ')}`);
  if (name && (!shopper || (name === 'email' && !shopper.includes('@'))))
    return invalid(name, 'the value that identifies the shopper');
  if (name === 'email_hash' && !/^[0-9a-f]{64}$/.test(shopper))
    return invalid(name, 'the SHA-256 in lower-case hex, or set email instead');
  if (name === 'email' && !globalThis.crypto?.subtle)
    return invalid('email_hash', 'the SHA-256 in lower-case hex: browsers hash an email on https pages only');
  return { relay, view, mode };
}

/** Returns the outcome for an option that is missing or not valid. */
export function invalid(name: string, expected: string): Failure {
  return outcome('invalid_config', `${name} is missing or not valid`, `Set ${name} to ${expected}.`);
}

function readUrl(url: string, base: string | undefined): string | undefined {
  try {
    const { protocol, origin, pathname } = new URL(url, url ? base : undefined);
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
    // Frameworks attach their whole tree to an element, such as the target, and localStorage holds what other scripts store.
    const text =
      JSON.stringify(options, (name, value: unknown) =>
        /^(target|storage)$/.test(name) && typeof value === 'object' ? undefined : value,
      ) ?? '';
    return looksSecret(text) || /"((x-)?api[-_]?key|secret([-_]?key)?)":/i.test(text);
  } catch {
    return false;
  }
}
