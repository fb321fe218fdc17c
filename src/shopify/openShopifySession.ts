import { shopifyPrivacy, type CustomerPrivacySignal } from '../consent/shopifyPrivacy.ts';
import { openStoredSession } from '../session/openSession.ts';
import type { ConsentOption, Session, SessionOptions } from '../session.ts';
import type { RecommendationRequest, View } from '../wire/offers/request.ts';

/** A value that the platform keeps up to date. */
interface Observable<T> {
  readonly value: T;
  subscribe(listener: (value: T) => void): () => void;
}

/** What is used of the global `shopify` of an extension. */
export interface ShopifyApi {
  readonly extension: {
    readonly target: string;
    /** Set while a merchant looks at the extension in the checkout editor. */
    readonly editor?: unknown;
    /** Whether the extension is on the screen. The platform also runs it ahead, and after the customer has gone on. */
    readonly rendered?: Observable<boolean>;
  };
  readonly sessionToken: { get(): Promise<string> };
  readonly storage: {
    read(key: string): Promise<unknown>;
    write(key: string, data: string): Promise<void>;
    delete(key: string): Promise<void>;
  };
  readonly customerPrivacy?: CustomerPrivacySignal;
  readonly localization?: { readonly language?: Observable<{ readonly isoCode: string }> };
  /** On the thank-you page. */
  readonly orderConfirmation?: Observable<{ readonly number?: string; readonly order: { readonly id: string } }>;
  /** On the order-status page. */
  readonly order?: Observable<{ readonly confirmationNumber?: string; readonly id: string } | undefined>;
}

/** The options of `openSession`, of which the platform knows many: only `relay` is required. */
export interface ShopifySessionOptions extends Omit<SessionOptions, 'request' | 'storage' | 'headers'> {
  /** The relay's URL, such as `https://shop.example/offers`. A path is not enough: an extension has no origin. */
  relay: string;
  /** What the platform does not know. By default the view follows from the target, and the order from its confirmation number. */
  request?: Partial<RecommendationRequest> | undefined;
}

/** A session of an extension. */
export interface ShopifySession extends Session {
  /** The shopper's language, such as `de-AT`. */
  readonly locale: string;
  /** Whether this is the checkout editor: nothing is requested, stored or counted, and `<Offers>` shows a placeholder. */
  readonly isPreview: boolean;
}

/**
 * Opens a session in an extension. Storage, session token, consent, language, view and order come from the platform. Where
 * the platform says nothing about privacy, the session waits for consent. The offers are shown inline whatever the display
 * mode, because an extension cannot open a layer by itself. A display is counted once the extension is on the screen.
 */
export function openShopifySession(shopify: ShopifyApi, options: ShopifySessionOptions): ShopifySession {
  const { storage, sessionToken } = shopify;
  const language = read(read(read(read(shopify, 'localization'), 'language'), 'value'), 'isoCode');
  const locale = typeof language === 'string' ? language : 'en';
  const isPreview = Boolean(read(read(shopify, 'extension'), 'editor'));
  const session = openStoredSession({
    ...options,
    request: requestOf(shopify, { given: options?.request, locale }),
    consent: isPreview ? 'required' : options && 'consent' in options ? options.consent : privacyOf(shopify),
    headers: async () => ({ authorization: `Bearer ${await sessionToken.get()}` }),
    storage: {
      async getItem(key) {
        const value = await storage.read(key);
        return typeof value === 'string' ? value : null;
      },
      setItem: (key, value) => storage.write(key, value),
      removeItem: (key) => storage.delete(key),
    },
  });
  if (isPreview) session.destroy();
  return Object.assign(session, { locale, isPreview, displayed: holdDisplays(session, shopify) });
}

/** Returns `displayed` of the session, which waits until the extension is on the screen. */
function holdDisplays(session: Session, shopify: ShopifyApi): Session['displayed'] {
  const { displayed } = session;
  const rendered = read(read(shopify, 'extension'), 'rendered') as Observable<boolean> | undefined;
  if (!rendered) return displayed;
  let held: Parameters<Session['displayed']>[] = [];
  rendered.subscribe((isRendered) => {
    if (!isRendered) return;
    for (const shown of held) displayed(...shown);
    held = [];
  });
  // What was held may belong to offers that are gone.
  session.subscribe(({ type }) => {
    if (type === 'outcome') held = [];
  });
  return (...shown) => {
    if (rendered.value) displayed(...shown);
    else held.push(shown);
  };
}

/** The platform's own consent. Without it there is no decision. */
function privacyOf(shopify: ShopifyApi): ConsentOption {
  const customerPrivacy = 'customerPrivacy' in shopify ? shopify.customerPrivacy : undefined;
  return customerPrivacy ? shopifyPrivacy(customerPrivacy) : 'required';
}

function requestOf(
  shopify: ShopifyApi,
  { given, locale }: { given: Partial<RecommendationRequest> | undefined; locale: string },
): RecommendationRequest {
  const order_id = orderIdOf(shopify);
  return {
    ...given,
    user_details: given?.user_details ?? {},
    placement_details: {
      view: viewOf(String(read(read(shopify, 'extension'), 'target'))),
      ...given?.placement_details,
      display_mode: 'INLINE',
    },
    order_details: { ...(order_id !== undefined && { order_id }), ...given?.order_details },
    attributes: { language: locale.slice(0, 2).toLowerCase(), ...given?.attributes },
  };
}

/** The confirmation number, which both pages know, else the order's id, which need not exist yet on the thank-you page. */
function orderIdOf(shopify: ShopifyApi): string | undefined {
  const confirmation = read(read(shopify, 'orderConfirmation'), 'value');
  const order = read(read(shopify, 'order'), 'value');
  return [
    read(confirmation, 'number'),
    read(order, 'confirmationNumber'),
    read(read(confirmation, 'order'), 'id'),
    read(order, 'id'),
  ].find((id): id is string => typeof id === 'string' && id !== '');
}

/** Reads an optional property: the platform's test kit throws when one that is missing is read. */
function read(object: unknown, name: string): unknown {
  return typeof object === 'object' && object !== null && name in object
    ? (object as Record<string, unknown>)[name]
    : undefined;
}

function viewOf(target: string): View {
  if (target.startsWith('customer-account.')) return 'ORDER_STATUS';
  return target.startsWith('purchase.checkout.') ? 'CHECKOUT' : 'THANK_YOU';
}
