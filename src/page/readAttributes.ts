import type { ShowOptions } from './options.ts';

/** Names of attributes that say something about the mount; any other is somebody else's. */
export const ATTRIBUTES = [
  'relay',
  'view',
  'display-mode',
  'email-hash',
  'email',
  'phone',
  'external-guid',
  'order-id',
  'order-amount',
  'order-currency',
  'target',
  'sandbox',
  'theme',
  'locale',
  'max-offers',
  'consent',
  'widget-id',
] as const;

/**
 * The options that an element's attributes say, `data-` before each or not. An attribute that a template left empty is
 * not there. What a developer may have added goes along, so that a key among it is noticed.
 */
export function readAttributes(element: Element, prefix: 'data-' | '' = ''): ShowOptions {
  const get = (name: (typeof ATTRIBUTES)[number]): string | undefined =>
    element.getAttribute(prefix + name)?.trim() || undefined;
  const some = <T extends object>(parts: T): T | undefined =>
    Object.values(parts).some((part) => part !== undefined) ? parts : undefined;
  const sandbox = element.getAttribute(`${prefix}sandbox`);
  const most = get('max-offers');
  const options = {
    relay: get('relay') ?? '',
    request: {
      user_details: {
        email_hash: get('email-hash'),
        email: get('email'),
        phone: get('phone'),
        external_guid: get('external-guid'),
      },
      placement_details: { view: get('view'), display_mode: get('display-mode'), widget_id: get('widget-id') },
      order_details: some({
        order_id: get('order-id'),
        cost_details: some({ amount: get('order-amount'), currency_code: get('order-currency') }),
      }),
    },
    target: get('target'),
    sandbox: sandbox !== null && sandbox !== 'false',
    theme: get('theme'),
    locale: get('locale'),
    maxOffers: most === undefined ? undefined : Number(most),
    // Waits for a word that comes by `consent(true)`.
    consent: get('consent') === 'required' ? new Promise<boolean>(() => {}) : undefined,
    attributes: Object.fromEntries(
      [...element.attributes].map(({ name, value }) => [name.replace('data-', ''), value]),
    ),
  };
  // Checked where every mount is: the words of a page are not typed.
  return options as unknown as ShowOptions;
}
