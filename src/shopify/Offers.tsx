import { Component, type ComponentChildren, type JSX } from 'preact';
import type { SessionResult } from '../session.ts';
import { textsFrom, type ShopifyMessages } from './messages.ts';
import { OfferGroup } from './OfferGroup.tsx';
import { outsideLink } from './outsideLink.tsx';
import type { ShopifySession } from './openShopifySession.ts';

/** Properties of `<Offers>`. */
export interface OffersProps {
  session: ShopifySession;
  /** Texts in the shopper's language, such as those of `shopify.i18n.translate`. By default English. */
  messages?: Partial<ShopifyMessages> | undefined;
}

interface OffersState {
  readonly found?: SessionResult | undefined;
  /** The groups that the shopper has gone through. */
  readonly finished: readonly string[];
}

/**
 * Shows the offers of a session with the platform's own elements, inline. Renders nothing while there are none, after the
 * last one was declined, and once consent is withdrawn; in the checkout editor a placeholder. A class: hooks would take another kilobyte.
 */
export class Offers extends Component<OffersProps, OffersState> {
  override state: OffersState = { finished: [] };
  stop: (() => void) | undefined;
  isOurRenderer = false;

  override componentDidMount(): void {
    const { session } = this.props;
    if (!this.isOurRenderer) {
      // Nothing would ever be shown, so nothing may be counted as shown.
      session.destroy();
      // oxlint-disable-next-line no-console -- to Preact everything is all right, and the place stays empty
      console.error(TWO_COPIES);
      return;
    }
    // The offers of the latest outcome: consent can be given late, withdrawn, and given again.
    this.stop = session.subscribe((event) => {
      if (event.type === 'outcome') this.setState({ found: event, finished: [] });
    });
    if (session.latest) this.setState({ found: session.latest });
  }

  override componentWillUnmount(): void {
    this.stop?.();
    this.stop = undefined;
  }

  override render({ session, messages: overrides }: OffersProps, { found, finished }: OffersState): JSX.Element {
    const groups = found?.groups.filter(({ id }) => !finished.includes(id)) ?? [];
    const messages = textsFrom(overrides);
    if (!found || groups.length === 0) {
      return <Probe onRender={() => (this.isOurRenderer = true)}>{session.isPreview && placeholderOf(messages)}</Probe>;
    }
    const { attribution_details: brand, privacy_policy: privacy } = found.footer;
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
                this.setState({ finished: [...finished, group.id] });
              }}
            />
          ))}
          <s-stack direction="inline" gap="base">
            {brand && outsideLink(brand.copy, brand.target_url, () => session.footer('brand'))}
            {privacy && outsideLink(privacy.copy, privacy.target_url, () => session.footer('privacy'))}
          </s-stack>
        </s-stack>
      </s-section>
    );
  }
}

const TWO_COPIES =
  'offerlet: <Offers> cannot be shown, because the extension contains two versions of Preact. Install one that fits "^10.10.0 || ^11.0.0"; "npm ls preact" shows who brings another.';

/** Tells that the Preact which renders understands the elements of the one that is imported here. Another version skips them. */
function Probe({ onRender, children }: { onRender: () => void; children: ComponentChildren }): JSX.Element {
  onRender();
  return <>{children}</>;
}

/** What a merchant sees in the checkout editor. */
function placeholderOf({ offers, sponsored, preview }: ShopifyMessages): JSX.Element {
  return (
    <s-section accessibilityLabel={offers}>
      <s-stack gap="small" border="base" borderRadius="base" padding="base">
        <s-badge>{sponsored}</s-badge>
        <s-paragraph color="subdued">{preview}</s-paragraph>
      </s-stack>
    </s-section>
  );
}
