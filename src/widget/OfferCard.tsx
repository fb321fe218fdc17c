import type { AnchorHTMLAttributes, JSX } from 'preact';
import type { Advertiser, DisclosureDetails, PlacedOffer } from '../wire/offers/response.ts';
import type { Messages } from './messages.ts';
import type { WidgetView } from './props.ts';

/** Characters of a label that fits in the usual size on two lines of a phone. */
const LONG_LABEL = 40;

/** Props of one offer. */
interface OfferCardProps {
  view: WidgetView;
  offer: PlacedOffer;
  /** All offers of the group when they are shown one at a time, undefined in a list. */
  sequence: readonly PlacedOffer[] | undefined;
  /** Whether its badge and heading name the dialog. */
  isTitle: boolean;
  level: 'h2' | 'h3';
}

/** One offer: disclosure, advertiser, heading, subheading, accept, decline, legal, in that order. */
export function OfferCard({ view, offer: placed, sequence, isTitle, level }: OfferCardProps): JSX.Element {
  const { messages } = view.props;
  const { advertiser, offer } = placed;
  const { cta_details: cta, disclosure_details: details } = offer;
  const isClaimed = view.state.claimed.includes(placed);
  const index = sequence?.indexOf(placed) ?? 0;
  const count = sequence?.length ?? 1;
  const before = sequence?.[index - 1];
  const isPictured = offer.assets?.length === 1;
  const images = <Tiles view={view} offer={placed} kind={isPictured ? 'picture' : 'tiles'} />;
  // Before and after accept.
  const accepts = [cta.accept_copy, cta.claimed_accept_copy || cta.accept_copy] as const;
  const onward = index === count - 1 ? messages.close : messages.next;
  const declines = [cta.decline_copy, cta.claimed_decline_copy ?? onward] as const;
  const long = [...accepts, ...declines].some((label) => label.length > LONG_LABEL) ? ' long' : '';

  return (
    <article
      class="offer"
      aria-label={sequence ? undefined : `${messages.sponsored}: ${advertiser.name}`}
      data-name={advertiser.name}
      data-about={advertiser.description}
      ref={view.seen(placed, { offer: placed })}
    >
      <div class="top">
        <Logo advertiser={advertiser} />
        {sequence && <Badges view={view} isTitle={isTitle} />}
        <div class="brand">
          <p part="advertiser" dir="auto">
            {advertiser.name}
          </p>
          {advertiser.description && (
            <p class="small" dir="auto">
              {advertiser.description}
            </p>
          )}
        </div>
        {count > 1 && (
          <span class="position">
            {before && (
              <button
                type="button"
                class="icon back"
                aria-label={messages.back}
                onClick={(event) => view.back(event, placed, before)}
              />
            )}
            {/* Screen readers read the words; in the row there is room for the numbers. */}
            <span role="img" aria-label={messages.position.replace('{0}', `${index + 1}`).replace('{1}', `${count}`)}>
              {`${index + 1}/${count}`}
            </span>
          </span>
        )}
      </div>
      {isPictured && images}
      <Place view={view} offer={placed} isTitle={isTitle} level={level} />
      {!isPictured && images}
      <div class={`actions${long}`}>
        <OutsideLink
          part="accept"
          class={isClaimed ? '' : 'main'}
          href={offer.target_url}
          title={messages.newTab}
          dir="auto"
          onClick={(event) => view.accept(event, placed)}
          onAuxClick={(event) => view.accept(event, placed)}
        >
          <Either texts={accepts} index={Number(isClaimed)} />
        </OutsideLink>
        {/* One filled button: accept, then Copy where there is a code, then the way on. */}
        <button
          type="button"
          part="decline"
          class={isClaimed && sequence && (!codeOf(placed) || view.state.copied === placed) ? 'main' : ''}
          dir="auto"
          onClick={(event) => view.pass(event, placed)}
        >
          <Either texts={declines} index={Number(isClaimed)} />
        </button>
      </div>
      {details && <Disclosure details={details} messages={messages} />}
    </article>
  );
}

/** Props of the marks above an offer or a list. */
interface BadgesProps {
  view: WidgetView;
  /** Whether the mark is part of the dialog's name. */
  isTitle: boolean;
}

/** The "Sponsored" mark, and the one of a sandbox. */
export function Badges({ view, isTitle }: BadgesProps): JSX.Element {
  const { messages, sandbox } = view.props;
  return (
    <div class="badges">
      <span class="badge" id={isTitle ? 'badge' : undefined}>
        {messages.sponsored}
      </span>
      {sandbox && <span class="badge">{messages.sandbox}</span>}
    </div>
  );
}

/** Pixels by which text may overflow its box without a line being hidden. */
const TOLERANCE_PX = 8;

/** Creates an observer that shows the button of an observed element while one of its texts is clamped. */
export function watchClamped(): ResizeObserver {
  const observer = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      if (!offerRest(target)) continue;
      // The button changes the observed size: in this frame that would be reported to the page as an error.
      observer.unobserve(target);
      requestAnimationFrame(() => observer.observe(target));
    }
  });
  return observer;
}

/** Shows the button of an element while one of its texts is clamped. Returns whether the button appeared or disappeared. */
export function offerRest(words: Element): boolean {
  const button = words.lastElementChild as HTMLButtonElement;
  const isClamped = [...words.children].some((text) => text.scrollHeight > text.clientHeight + TOLERANCE_PX);
  if (button.hidden !== isClamped || button.getAttribute('aria-expanded') === 'true') return false;
  button.hidden = !isClamped;
  return true;
}

/** Props of an offer's images. */
interface TilesProps {
  view: WidgetView;
  offer: PlacedOffer;
  /** `picture` for a large one, `tiles` for a row. */
  kind: 'picture' | 'tiles';
}

/** The offer's images, each a link to its own URL or to the offer's. One that fails to load at once leaves no gap. */
function Tiles({ view, offer, kind }: TilesProps): JSX.Element | null {
  const { assets = [], heading, target_url } = offer.offer;
  if (!assets.length) return null;
  return (
    <div class={kind}>
      {assets.map((asset, index) => (
        <OutsideLink
          key={asset.id}
          class={asset.asset_type === 'PRODUCT' ? 'product' : ''}
          href={asset.target_url ?? target_url}
          title={view.props.messages.newTab}
          ref={asset.asset_type === 'PRODUCT' ? view.seen(asset, { offer, asset }) : null}
          onClick={(event) => view.accept(event, offer, asset)}
          onAuxClick={(event) => view.accept(event, offer, asset)}
        >
          <img
            loading="lazy"
            src={asset.image_url}
            alt={`${heading} (${index + 1})`}
            decoding="async"
            referrerpolicy="no-referrer"
            ref={watchImage}
          />
        </OutsideLink>
      ))}
    </div>
  );
}

/** Props of the place of an offer's text. */
interface PlaceProps {
  view: WidgetView;
  offer: PlacedOffer;
  /** Whether its heading names the dialog. */
  isTitle: boolean;
  level: 'h2' | 'h3';
}

/**
 * Heading and subheading: long ones are clamped by the stylesheet, and a button shows the rest. Once the offer is accepted, the
 * heading stays above the message and promo code. The live region is always present so that screen readers announce the change.
 */
function Place({ view, offer, isTitle, level: Heading }: PlaceProps): JSX.Element {
  const { messages } = view.props;
  const { heading, subheading, cta_details } = offer.offer;
  const isClaimed = view.state.claimed.includes(offer);
  const code = codeOf(offer);
  const isCopied = view.state.copied === offer;
  // The wide space is the place of the tick, which the stylesheet draws: not every font has one.
  const opened = `\u2003 ${messages.claimed}`;
  const texts = [cta_details.transition_copy || opened, opened] as const;
  const index = Number(view.state.opened.includes(offer));
  return (
    <div class={isClaimed ? 'place claimed' : 'place'}>
      <div class="words" ref={view.clamp}>
        <Heading part="heading" id={isTitle ? 'title' : undefined} tabIndex={-1} dir="auto">
          {heading}
        </Heading>
        {subheading && (
          <p part="subheading" dir="auto">
            {subheading}
          </p>
        )}
        <button type="button" class="more" aria-expanded="false" hidden onClick={view.more}>
          {messages.more}
        </button>
      </div>
      <div class="claim" role="status" aria-atomic="false">
        {isClaimed && (
          <p dir="auto" class={texts[index] === opened ? 'done' : ''}>
            <Either texts={texts} index={index} />
          </p>
        )}
        {isClaimed && code && (
          <div class="code">
            <span class="small">{messages.code}</span>
            <code dir="ltr">{code}</code>
            <button type="button" class={isCopied ? '' : 'main'} onClick={(event) => view.copy(event, offer)}>
              {isCopied ? messages.copied : messages.copy}
            </button>
          </div>
        )}
      </div>
    </div>
  );
}

/** One of two texts that follow each other in the same place, with the room of both: when they change, nothing moves. */
function Either({ texts, index }: { texts: readonly [string, string]; index: number }): JSX.Element {
  return (
    <span class="either" data-other={texts[1 - index]}>
      <span>{texts[index]}</span>
    </span>
  );
}

function codeOf({ offer: { metadata } }: PlacedOffer): string | undefined {
  return metadata?.type === 'PROMO_CODE' ? metadata.code : undefined;
}

/** Copies the offer's promo code. If the browser refuses, selects the code so that one key press copies it. Resolves to whether it was copied. */
export async function copyCode(button: Element, { offer }: PlacedOffer): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(offer.metadata?.code ?? '');
    return true;
  } catch {
    const code = button.parentElement?.querySelector('code');
    if (code) getSelection()?.selectAllChildren(code);
    return false;
  }
}

/** Characters that fit on two lines of most cards. Longer texts are cut after a word before that, never inside an amount, and expand. */
const SHORT = 90;
const SHORTENED = /^[^]{0,88}\D(?=\s[^\s\d])/;

/** The legal text of an offer: a line or two, or a summary that expands in place. */
export function Disclosure({ details, messages }: { details: DisclosureDetails; messages: Messages }): JSX.Element {
  const { copy, content, target_url } = details;
  const link = (text: string): JSX.Element | undefined | '' =>
    target_url && (
      <OutsideLink href={target_url} title={messages.newTab}>
        {text}
      </OutsideLink>
    );
  if (!content && copy.length <= SHORT) {
    return (
      <p class="small" part="disclosure" dir="auto">
        {link(copy) ?? copy}
      </p>
    );
  }
  const head = copy.length > SHORT ? (SHORTENED.exec(copy)?.[0] ?? copy) : copy;
  const rest = copy.slice(head.length);
  return (
    <details class="small" part="disclosure">
      <summary dir="auto">
        <span>{rest ? `${head} …` : head}</span>
      </summary>
      <p dir="auto">
        {`${rest && `…${rest} `}${content ?? ''} `}
        {link(messages.terms)}
      </p>
    </details>
  );
}

/** The advertiser's logo in its tile, above the first letter of the name, which shows until the image has loaded. */
export function Logo({ advertiser: { name, logo_url } }: { advertiser: Advertiser }): JSX.Element {
  return (
    <span class="logo" part="logo" aria-hidden="true">
      {[...name][0]}
      {logo_url && (
        <img
          loading="lazy" // before src: Firefox reads it when src is set
          src={logo_url}
          alt=""
          width="48"
          height="48"
          decoding="async"
          referrerpolicy="no-referrer"
          ref={watchImage}
        />
      )}
    </span>
  );
}

/** Milliseconds in which an image that fails gives up its space. Later, something would move under the pointer. */
const GIVE_UP_MS = 1000;

/** Shows an image once it has loaded, and removes it if it fails at once. */
export function watchImage(image: HTMLImageElement | null): void {
  const start = performance.now();
  const show = (): unknown => image?.classList.toggle('loaded', image.naturalWidth > 0);
  image?.addEventListener('load', show);
  // It was loaded before, or failed in the page's HTML.
  if (image?.complete) show();
  image?.addEventListener('error', () => {
    show();
    image.hidden = performance.now() - start < GIVE_UP_MS;
  });
}

/** A link to another site in a new tab. The site learns the origin it was opened from, not the order page's URL with its tokens. */
export function OutsideLink(props: AnchorHTMLAttributes & { href: string }): JSX.Element {
  return <a target="_blank" rel="noopener sponsored nofollow" referrerpolicy="strict-origin" {...props} />;
}
