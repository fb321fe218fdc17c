import { createElement, useEffect, useRef, useSyncExternalStore, type CSSProperties, type ReactElement } from 'react';
import { showOffers, type Mount, type Outcome, type ShowOptions } from '../index.ts';

/** The properties of `<Offers>`: the options of `showOffers`, except `target`, and those of its element. */
export interface OffersProps extends Omit<ShowOptions, 'target'> {
  /** Called with the outcome, and with each new one when the shopper's consent changes. */
  onOutcome?: ((outcome: Outcome) => void) | undefined;
  /** INLINE: the `html` that `renderOffers` returned for the prefetched offers. It is read by the first render. */
  html?: string | undefined;
  /** INLINE: class of the element that the offers are in. Reserve their space there. */
  className?: string | undefined;
  /** INLINE: style of the element that the offers are in. */
  style?: CSSProperties | undefined;
  /** INLINE: id of the element that the offers are in. */
  id?: string | undefined;
}

/** What the documentation recommends to reserve, without a media query. */
const RESERVED = { minBlockSize: 'max(390px, min(570px, (700px - 100vw) * 999))' };

/**
 * Shows offers: INLINE in its place, otherwise over the page. New offers are requested when the value of an option changes;
 * functions may be new on every render. On a server it renders the empty place.
 */
export function Offers(props: OffersProps): ReactElement | null {
  const { onEvent: _onEvent, onOutcome: _onOutcome, consent, html, className, style, id, ...options } = props;
  const place = useRef<HTMLDivElement>(null);
  const isFromServer = useSyncExternalStore(
    () => () => {},
    () => false,
    () => true,
  );
  // Only a parser makes a shadow root of it, and has by the time that React compares the two.
  const content = useRef(
    isFromServer && html ? { suppressHydrationWarning: true, dangerouslySetInnerHTML: { __html: html } } : {},
  );
  const mount = useRef<Mount>(undefined);
  const latest = useRef(props);
  const decided = useRef(consent);
  /** A denial elsewhere holds for the next mount in this place, until the property changes. */
  const consentPlace = useRef({ latest: undefined });
  // Prefetched offers are for the mount that they came with: a server that renders again prefetches anew.
  const value = asJson({ ...options, prefetched: undefined, headers: undefined });

  useEffect(() => {
    latest.current = props;
  });

  useEffect(() => {
    // What React has already unmounted, as StrictMode does at once, has no outcome.
    let isMounted = true;
    const { consent } = latest.current;
    if (consent !== decided.current) consentPlace.current.latest = undefined;
    decided.current = consent;
    const offers = showOffers(
      {
        ...options,
        target: place.current ?? undefined,
        // Those of the latest render: a token may have been renewed.
        fetch: (...given) => (latest.current.fetch || fetch)(...given),
        headers() {
          const { headers } = latest.current;
          return (typeof headers === 'function' ? headers() : headers) || {};
        },
        // A property that is there without a value is undecided; only one that is absent means the default.
        ...('consent' in latest.current && { consent }),
        onEvent(event) {
          if (!isMounted) return;
          latest.current.onEvent?.(event);
          if (event.type !== 'outcome') return;
          const { type: _, ...outcome } = event;
          latest.current.onOutcome?.(outcome);
        },
      },
      { place: consentPlace.current },
    );
    mount.current = offers;
    return () => {
      isMounted = false;
      offers.destroy();
    };
  }, [value]);

  useEffect(() => {
    // A source or a promise may be new on every render: the first one decides.
    const isAsked = Object(consent) === consent && Object(decided.current) === decided.current;
    if (isAsked || consent === decided.current) return;
    decided.current = consent;
    mount.current?.consent(consent);
  }, [consent]);

  if (options.request?.placement_details?.display_mode !== 'INLINE') return null;
  const isReserved = className !== undefined || style !== undefined;
  return createElement('div', { ref: place, id, className, style: isReserved ? style : RESERVED, ...content.current });
}

/** Returns the options as text, to compare them by value. Functions and the signal are compared by nobody. */
function asJson(options: object): string {
  try {
    return JSON.stringify(options);
  } catch {
    return '';
  }
}
