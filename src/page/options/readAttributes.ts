import type { ShowOptions } from './showOptions.ts';

/** The `consent` of a mount that waits for a decision on the whole page, as `data-consent="required"` does. */
export const PAGE_DECISION: Promise<boolean> = /* @__PURE__ */ new Promise(() => {});

/**
 * The options that an element's attributes say, with `data-` before each or not. An attribute that a template left
 * empty is not there. All others go along, so that a key that somebody put among them is noticed.
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
  const options = {
    ...pick('relay target theme locale'),
    request: {
      user_details: pick('email-hash email phone external-guid'),
      placement_details: pick('view display-mode widget-id'),
      order_details: (get('order-id') ?? get('order-amount')) && {
        ...pick('order-id'),
        cost_details: { amount: get('order-amount'), currency_code: get('order-currency') },
      },
    },
    sandbox: sandbox !== null && sandbox !== 'false',
    maxOffers: most && Number(most),
    consent: get('consent') === 'required' ? PAGE_DECISION : undefined,
    attributes: Object.fromEntries(
      [...element.attributes].map(({ name, value }) => [name.replace('data-', ''), value]),
    ),
  };
  // Checked where every mount is: the words of a page are not typed.
  return options as unknown as ShowOptions;
}
