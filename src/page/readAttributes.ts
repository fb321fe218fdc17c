import { own } from '../wire/json.ts';
import type { ShowOptions } from './showOptions.ts';

const TOP = 'relay theme locale';
const USER = 'email-hash email phone external-guid';
const PLACEMENT = 'view display-mode widget-id';

/** The attributes of an element that are read. A script tag has them with the prefix `data-`, and `data-target`. */
export const ATTRIBUTES: readonly string[] =
  `${PLACEMENT} ${TOP} ${USER} order-id order-amount order-currency sandbox max-offers consent`.split(' ');

/** What the attribute `consent` may say. Anything else is refused: it must not be taken for consent. */
export const CONSENT: Readonly<Record<string, 'required' | boolean>> = {
  required: 'required',
  granted: true,
  denied: false,
};

/**
 * Returns the options in an element's attributes, with or without the prefix `data-`. Empty attributes are ignored. All other
 * attributes are included, so that a secret key among them is noticed.
 */
export function readAttributes(element: Element, prefix: 'data-' | '' = ''): ShowOptions {
  const get = (name: string): string | undefined => element.getAttribute(prefix + name)?.trim() || undefined;
  /** `email-hash` becomes `email_hash`. */
  const pick = (names: string): Record<string, unknown> =>
    Object.fromEntries(
      names
        .split(' ')
        .map((name) => [name.replace('-', '_'), get(name)])
        .filter(([, value]) => value),
    );
  const sandbox = element.getAttribute(`${prefix}sandbox`);
  const most = get('max-offers');
  const consent = element.getAttribute(`${prefix}consent`)?.trim();
  const options = {
    ...pick(`target ${TOP}`),
    request: {
      user_details: pick(USER),
      placement_details: pick(PLACEMENT),
      order_details: (get('order-id') ?? get('order-amount')) && {
        ...pick('order-id'),
        cost_details: { amount: get('order-amount'), currency_code: get('order-currency') },
      },
    },
    sandbox: sandbox !== null && sandbox !== 'false',
    maxOffers: most && Number(most),
    // Without the attribute there is no option, which means the default.
    ...(consent !== undefined && { consent: own(CONSENT, consent) ?? Number.NaN }),
    attributes: Object.fromEntries(
      [...element.attributes].map(({ name, value }) => [name.replace('data-', ''), value]),
    ),
  };
  // Attributes are not typed: `checkOptions` validates them.
  return options as unknown as ShowOptions;
}
