import type { ComponentChildren, JSX } from 'preact';
import { watchImage } from './card/Logo.tsx';
import type { WidgetProps } from './props.ts';
import { OutsideLink } from './OutsideLink.tsx';

/** The network's attribution and privacy link, or nothing when the response has neither. */
export function FooterLine({ footer, messages, on }: WidgetProps): JSX.Element | null {
  const { attribution_details: brand, privacy_policy: privacy } = footer;
  if (!brand && !privacy) return null;
  return (
    <footer part="footer" class="small">
      {brand &&
        link('brand', brand.target_url, [
          brand.logo_url && (
            <img
              src={brand.logo_url}
              alt=""
              height="16"
              decoding="async"
              referrerpolicy="no-referrer"
              ref={watchImage}
            />
          ),
          <span>{brand.copy}</span>,
        ])}
      {privacy && link('privacy', privacy.target_url, <span>{privacy.copy}</span>)}
    </footer>
  );

  function link(name: 'brand' | 'privacy', href: string | undefined, children: ComponentChildren): JSX.Element {
    return href ? (
      <OutsideLink href={href} title={messages.newTab} dir="auto" onClick={() => on({ type: 'footer', link: name })}>
        {children}
      </OutsideLink>
    ) : (
      <span dir="auto">{children}</span>
    );
  }
}
