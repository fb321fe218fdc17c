import { openSession, type Session } from '../session/openSession.ts';
import type { ConsentSource, SessionOptions } from '../session/options.ts';
import type { RecommendationRequest, View } from '../wire/offers/request.ts';

/** A value that the platform keeps up to date. */
interface Observable<T> {
  readonly value: T;
  subscribe(listener: (value: T) => void): () => void;
}

/** What is used of the global `shopify` of an extension. */
export interface ShopifyApi {
  readonly extension: { readonly target: string };
  readonly sessionToken: { get(): Promise<string> };
  readonly storage: {
    read(key: string): Promise<unknown>;
    write(key: string, data: string): Promise<void>;
    delete(key: string): Promise<void>;
  };
  readonly customerPrivacy?: Observable<{ readonly allowedProcessing: { readonly marketing: boolean } }>;
  readonly localization?: { readonly language?: Observable<{ readonly isoCode: string }> };
  /** On the thank-you page. */
  readonly orderConfirmation?: Observable<{ readonly number?: string; readonly order: { readonly id: string } }>;
  /** On the order-status page. */
  readonly order?: Observable<{ readonly confirmationNumber?: string; readonly id: string } | undefined>;
}

/** The options of `openSession`, of which the platform knows many: only `relay` is required. */
export interface ShopifySessionOptions extends Omit<SessionOptions, 'request' | 'storage' | 'headers'> {
  /** The relay's URL, such as `https://shop.example/offers`. An extension has no origin of its own. */
  relay: string;
  /** What the platform does not know. By default the view follows from the target, and the order from its confirmation number. */
  request?: Partial<RecommendationRequest> | undefined;
}

/** A session of an extension. */
export interface ShopifySession extends Session {
  /** The shopper's language, such as `de-AT`. */
  readonly locale: string;
  /** Calls a listener with each decision on consent. The function that it returns ends that. */
  onConsent(listener: (isGiven: boolean) => void): () => void;
}

/**
 * Opens a session in an extension. Storage, session token, consent (to marketing), language, view and order come from the
 * platform. The offers are shown inline whatever the display mode, because an extension cannot open a layer by itself.
 */
export function openShopifySession(shopify: ShopifyApi, options: ShopifySessionOptions): ShopifySession {
  const { storage, sessionToken, localization } = shopify;
  const locale = localization?.language?.value.isoCode ?? 'en';
  const listeners = new Set<(isGiven: boolean) => void>();
  const given = options?.consent ?? privacyOf(shopify);
  let decided: boolean | undefined;
  let session: Session | undefined;
  let stop: void | (() => void);

  function decide(isGiven: boolean): void {
    decided = isGiven;
    session?.consent(isGiven);
    for (const listener of listeners) listener(isGiven);
  }

  const consent =
    typeof given === 'function'
      ? new Promise<boolean>((resolve) => {
          stop = given((isGiven) => {
            decide(isGiven);
            // A source may decide several times before the session begins: the last decision is used.
            queueMicrotask(() => resolve(decided === true));
          });
        })
      : given;
  const opened = (session = openSession({
    ...options,
    request: requestOf(shopify, { given: options?.request, locale }),
    consent,
    headers: async () => ({ authorization: `Bearer ${await sessionToken.get()}` }),
    storage: {
      async getItem(key) {
        const value = await storage.read(key);
        return typeof value === 'string' ? value : null;
      },
      setItem: (key, value) => storage.write(key, value),
      removeItem: (key) => storage.delete(key),
    },
  }));
  return Object.assign(Object.create(opened) as Session, {
    locale,
    consent: decide,
    onConsent(listener: (isGiven: boolean) => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close() {
      stop?.();
      listeners.clear();
      opened.close();
    },
  });
}

/** The platform's own consent: whether data may be processed for marketing. */
function privacyOf({ customerPrivacy }: ShopifyApi): ConsentSource | undefined {
  if (!customerPrivacy) return undefined;
  return (decide) => {
    const isGiven = ({ allowedProcessing }: typeof customerPrivacy.value): boolean => allowedProcessing.marketing;
    decide(isGiven(customerPrivacy.value));
    return customerPrivacy.subscribe((value) => decide(isGiven(value)));
  };
}

function requestOf(
  shopify: ShopifyApi,
  { given, locale }: { given: Partial<RecommendationRequest> | undefined; locale: string },
): RecommendationRequest {
  const { orderConfirmation, order } = shopify;
  const order_id =
    orderConfirmation?.value.number ??
    order?.value?.confirmationNumber ??
    orderConfirmation?.value.order.id ??
    order?.value?.id;
  return {
    ...given,
    user_details: given?.user_details ?? {},
    placement_details: {
      view: viewOf(shopify.extension.target),
      ...given?.placement_details,
      display_mode: 'INLINE',
    },
    order_details: { ...(order_id !== undefined && { order_id }), ...given?.order_details },
    attributes: { language: locale.slice(0, 2).toLowerCase(), ...given?.attributes },
  };
}

function viewOf(target: string): View {
  return target.startsWith('purchase.thank-you')
    ? 'THANK_YOU'
    : target.startsWith('purchase.')
      ? 'CHECKOUT'
      : 'ORDER_STATUS';
}
