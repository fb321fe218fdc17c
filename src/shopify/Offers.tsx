import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { SessionResult } from '../session.ts';
import type { Footer } from '../wire/offers/response.ts';
import { messagesFor } from '../widget/messages/messagesFor.ts';
import type { MessageOverrides } from '../widget/messages/messages.ts';
import { OfferGroup } from './OfferGroup.tsx';
import type { ShopifySession } from './openShopifySession.ts';

/** Properties of `<Offers>`. */
export interface OffersProps {
  session: ShopifySession;
  /** Texts of your own, such as those of `shopify.i18n.translate`. By default those of the shopper's language. */
  messages?: MessageOverrides | undefined;
}

/**
 * Shows the offers of a session with the platform's own elements, inline. Renders nothing while there are none, after the
 * last one was declined, and once consent is withdrawn.
 */
export function Offers({ session, messages: overrides }: OffersProps): JSX.Element | null {
  const [found, setFound] = useState<SessionResult>();
  const [finished, setFinished] = useState<readonly string[]>([]);
  useEffect(() => {
    let isCurrent = true;
    const read = (): void => void session.result.then((result) => isCurrent && setFound(result));
    const stop = session.onConsent((isGiven) => {
      setFinished([]);
      if (isGiven) read();
      else setFound(undefined);
    });
    read();
    return () => {
      isCurrent = false;
      stop();
    };
  }, [session]);

  const groups = found?.groups.filter(({ id }) => !finished.includes(id)) ?? [];
  if (!found || groups.length === 0) return null;
  const messages = messagesFor(session.locale, overrides);
  return (
    <s-section accessibilityLabel={messages.offers}>
      <s-stack gap="base">
        {groups.map((group) => (
          <OfferGroup
            key={group.id}
            session={session}
            group={group}
            messages={messages}
            isSandbox={found.isSandbox}
            onFinished={() => {
              if (groups.length === 1) session.dismiss('finished');
              setFinished([...finished, group.id]);
            }}
          />
        ))}
        <FooterLine footer={found.footer} session={session} newTab={messages.newTab} />
      </s-stack>
    </s-section>
  );
}

interface FooterLineProps {
  readonly footer: Footer;
  readonly session: ShopifySession;
  readonly newTab: string;
}

/** The network's attribution and privacy link. */
function FooterLine({ footer, session, newTab }: FooterLineProps): JSX.Element | null {
  const { attribution_details: brand, privacy_policy: privacy } = footer;
  if (!brand && !privacy) return null;
  return (
    <s-stack direction="inline" gap="base">
      {brand && link('brand', brand)}
      {privacy && link('privacy', privacy)}
    </s-stack>
  );

  function link(
    name: 'brand' | 'privacy',
    { copy, target_url }: { copy: string; target_url?: string | undefined },
  ): JSX.Element {
    return target_url ? (
      <s-link
        href={target_url}
        target="_blank"
        accessibilityLabel={`${copy} (${newTab})`}
        onClick={() => session.footer(name)}
      >
        {copy}
      </s-link>
    ) : (
      <s-text type="small" color="subdued">
        {copy}
      </s-text>
    );
  }
}
